import { printAsset, type Redacted } from '../../feed/reading/asset-view.js';
import { erasedOpening, type Opening, pointerParts } from '#tlog';
import type { Asset } from '../../database/entities/asset.entity.js';
import type { LogEntry } from '../../database/entities/log-entry.entity.js';
import type { ErasedCurrent, StoredRevision, StatePortion } from '../../database/repositories/redactions.js';
import { checksumOf, isWhole, bodyDelta, type BodyDelta, restoreBody } from '../../database/readers/body-delta.js';
import { revisionOf } from '../../feed/writing/written-rows.js';
import type { RegistryTime } from '../../platform/time/registry-time.js';
import { ForgedBodyError, OpenedBody } from './opened-body.js';

/** The entity without its class. */
type AssetFields = Pick<Asset, keyof Asset>;

interface EndedState {
  revision: StoredRevision;
  /** Its body, before and after the erasure; undefined where what is kept of it cannot be read any more. */
  opened: OpenedBody | undefined;
  /** Whether the state after it is kept. */
  isFollowed: boolean;
  /** Undefined where the log has none of it. */
  entry: LogEntry | undefined;
}

export interface KeptAsset {
  asset: Asset;
  /** What the log has of the current state. */
  entries: readonly LogEntry[];
  /** Reads the ended states, the newest first. They are too many for memory, so it is done once for each pass. */
  read(): AsyncIterable<StatePortion>;
}

/** What an asset tells of an erasure beside the place: why, and when. */
export type ToldErasure = Omit<Redacted, 'pointer'>;

/** Shorter texts stand in many places by chance. */
const MIN_TOLD = 4;
/** What was kept of a state that cannot be read: nothing. It has a checksum that it does not match, as before. */
const NOTHING: BodyDelta = { body: '', sameStart: 0, sameEnd: 0, checksum: -1 };
const NOTHING_OPENED: Opening = { secrets: [], erased: {} };

/**
 * Takes fields out of all states of an asset. It goes through them before the instant of the change is known, and again with it; beside
 * the current one, one state at a time is open.
 */
export class ErasedAsset {
  /** In how many states something was erased. */
  count = 0;
  /** How many states do not match their checksums, and are not empty yet: they are emptied, as nobody knows what is in them. */
  unreadable = 0;
  private readonly current: OpenedBody;
  /** What was taken out of any state: pointers without `*`. */
  private readonly met = new Set<string>();
  /** The texts that were erased, and are long enough to be looked for, as `folded` makes them. */
  private readonly erasedTexts = new Set<string>();

  /**
   * @param wanted pointers that were checked
   * @throws ForgedBodyError where the current state is none, Error where one of them leads to an item of a list
   */
  constructor(
    private readonly kept: KeptAsset,
    private readonly wanted: readonly string[],
    private readonly time: RegistryTime,
  ) {
    this.current = new OpenedBody(kept.asset.body, wanted);
  }

  /**
   * Finds out what is erased. All else can be asked for afterwards.
   * @returns the openings that the log has from now on, by their places, in portions
   */
  async *survey(): AsyncGenerator<ReadonlyMap<number, string>> {
    const asset: AssetFields = this.kept.asset;
    this.note(this.current);
    yield new Map(openingOf(this.kept.entries[0], this.current, () => printAsset(asset, this.time)));
    let owner = asset.owner;
    for await (const states of this.ended()) {
      const openings = new Map<number, string>();
      for (const { revision, opened, entry } of states) {
        if (opened !== undefined) this.note(opened);
        else if (!isEmptied(revision)) this.unreadable++;
        // A version that knew no other owner than the first wrote none: it is that of the next public state.
        const { modifiedUs, status, relatedLot } = revision;
        const then = { ...asset, modifiedUs, status, relatedLot, owner: revision.owner ?? owner };
        if (revision.listed === 1) owner = then.owner;
        const print = (): string => printAsset({ ...then, body: opened?.before ?? '{}' }, this.time);
        for (const [place, opening] of openingOf(entry, opened, print)) openings.set(place, opening);
      }
      yield openings;
    }
  }

  private note(opened: OpenedBody): void {
    if (opened.pointers.length > 0) this.count++;
    for (const pointer of opened.pointers) this.met.add(pointer);
    for (const text of opened.texts) if (text.length >= MIN_TOLD) this.erasedTexts.add(folded(text));
  }

  /** When the current state began, in microseconds. */
  get modifiedUs(): number {
    return this.kept.asset.modifiedUs;
  }

  /** The wanted pointers that lead to nothing in any state. */
  get unmet(): string[] {
    const met = [...this.met];
    return this.wanted.filter((pointer) => !met.some((one) => isOf(one, pointer)));
  }

  /** Whether a text has in it one that was erased. */
  isIn(text: string): boolean {
    const looked = folded(text);
    for (const erased of this.erasedTexts) if (looked.includes(erased)) return true;
    return false;
  }

  /** Where a text that was erased still stands in a state of the asset; items of lists are `*`. */
  async elsewhere(): Promise<string[]> {
    const found = new Set<string>();
    let looked = new Map<string, string>();
    for await (const opened of this.readable()) {
      const left = opened.left();
      // Nearly all of a state is that of the one after it.
      const others = left.filter(({ pointer, text }) => looked.get(pointer) !== text);
      const met = others.filter(({ text }) => this.isIn(text));
      for (const { pointer } of met) found.add(pointer.replaceAll(/\/\d+(?=\/|$)/g, '/*'));
      looked = new Map(left.map(({ pointer, text }) => [pointer, text]));
    }
    return [...found].toSorted();
  }

  /** All states that match their checksums, from the newest to the oldest. */
  private async *readable(): AsyncGenerator<OpenedBody> {
    yield this.current;
    for await (const states of this.ended()) for (const { opened } of states) if (opened !== undefined) yield opened;
  }

  /** What is written where the erasure is a change of the asset. @param us its instant, in microseconds */
  changed(us: number, told: ToldErasure): ErasedCurrent {
    const asset: AssetFields = this.kept.asset;
    const body = this.currentBody(told);
    const changed = [...new Set(this.wanted.map((pointer) => pointerParts(pointer)[0] as string))];
    const ended = { ...revisionOf({ ...asset, body: this.endedBody(told) }, { body, changed }), untilUs: us };
    const feedUs = asset.feedUs === null ? null : us;
    const next = { ...asset, body, version: asset.version + 1, modifiedUs: us, feedUs };
    return { asset: next, ended };
  }

  /** What is written where it is erased again, as in a backup that was made before: no state begins or ends. */
  inPlace(told: ToldErasure): ErasedCurrent {
    const body = this.currentBody(told);
    const now: AssetFields = this.kept.asset;
    return { asset: { ...now, body }, ended: undefined };
  }

  /** The current state's body. It names all that was erased, also what only earlier states had, and what was wanted where no state is known to have had it. */
  private currentBody(told: ToldErasure): string {
    return this.current.print(toldOf([...this.met, ...this.unmet], told));
  }

  /**
   * What is written of the states that were ended before, by their instants, in portions.
   * @param current what was made of the current state
   */
  async *bodies(
    { asset, ended: endedNow }: ErasedCurrent,
    told: ToldErasure,
  ): AsyncGenerator<ReadonlyMap<number, BodyDelta>> {
    let after = endedNow === undefined ? asset.body : this.endedBody(told);
    for await (const states of this.ended()) {
      const bodies = new Map<number, BodyDelta>();
      for (const { revision, opened, isFollowed } of states) {
        const body = opened?.print(toldOf(opened.pointers, told));
        const kept = body === undefined ? NOTHING : bodyDelta(body, isFollowed ? after : '', revision.version);
        bodies.set(revision.untilUs, kept);
        after = body ?? '';
      }
      yield bodies;
    }
  }

  /** The body of the state that the change ends. */
  private endedBody(told: ToldErasure): string {
    return this.current.print(toldOf(this.current.pointers, told));
  }

  /** From the newest to the oldest: each body is kept beside the one after it. All of a portion has to be gone through. */
  private async *ended(): AsyncGenerator<Iterable<EndedState>> {
    const { asset } = this.kept;
    const last: Followed = { after: Buffer.from(asset.body), fromUs: asset.modifiedUs };
    for await (const portion of this.kept.read()) yield openedStates(portion, last, this.wanted);
  }
}

/** Whether an earlier erasure has left nothing of a state that could not be read. */
function isEmptied({ body, checksum }: StoredRevision): boolean {
  return body.length === 0 && checksum === NOTHING.checksum;
}

/** The state that was read last, the one after the next. */
interface Followed {
  after: Buffer | undefined;
  fromUs: number;
}

function* openedStates(portion: StatePortion, last: Followed, wanted: readonly string[]): Generator<EndedState> {
  const entries = new Map(portion.entries.map((entry) => [entry.modifiedUs, entry]));
  for (const revision of portion.revisions) {
    const { after } = last;
    const isFollowed = revision.untilUs === last.fromUs;
    const whole = isWhole(revision) ? revision.body : undefined;
    const body: Buffer | undefined = whole ?? (isFollowed && after ? restoreBody(revision, after) : undefined);
    [last.after, last.fromUs] = [body, revision.modifiedUs];
    const isSound = body !== undefined && checksumOf(body) === revision.checksum;
    const opened = isSound ? openedBody(body, wanted) : undefined;
    yield { revision, opened, isFollowed, entry: entries.get(revision.modifiedUs) };
  }
}

/** @returns undefined where somebody has put in what is no state, with its checksum */
function openedBody(body: Buffer, wanted: readonly string[]): OpenedBody | undefined {
  try {
    return new OpenedBody(body.toString(), wanted);
  } catch (error) {
    if (error instanceof ForgedBodyError) return undefined;
    throw error;
  }
}

/** @param print the asset as it was before @returns nothing where the entry stays as it is */
function openingOf(
  entry: LogEntry | undefined,
  opened: OpenedBody | undefined,
  print: () => string,
): [number, string][] {
  if (entry === undefined || opened?.pointers.length === 0) return [];
  if (opened === undefined) return [[entry.place, JSON.stringify(NOTHING_OPENED)]];
  const asset = JSON.parse(print()) as Record<string, unknown>;
  return [[entry.place, JSON.stringify(reopened(asset, entry.opening, opened.pointers))]];
}

/** What opens nothing any more, as somebody has changed it, has no salt that could be kept. */
function reopened(asset: Record<string, unknown>, opening: string, pointers: readonly string[]): Opening {
  try {
    return erasedOpening(asset, JSON.parse(opening) as Opening, pointers);
  } catch {
    return NOTHING_OPENED;
  }
}

/** The same for a name in capitals. It is not normalized: that takes quadratic time for what a broker may send, and writers wait meanwhile. */
function folded(text: string): string {
  return text.toLowerCase().toUpperCase();
}

function toldOf(pointers: readonly string[], told: ToldErasure): Redacted[] {
  return pointers.map((pointer) => ({ pointer, ...told }));
}

/** Whether a pointer is what another one with `*` means. */
function isOf(pointer: string, wanted: string): boolean {
  const [parts, wantedParts] = [pointer.split('/'), wanted.split('/')];
  return (
    parts.length === wantedParts.length && parts.every((part, i) => wantedParts[i] === part || wantedParts[i] === '*')
  );
}
