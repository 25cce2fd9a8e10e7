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
  /** Its body before and after the erasure; undefined if it cannot be read. */
  opened: OpenedBody | undefined;
  /** Whether the next state is stored, too. */
  isFollowed: boolean;
  /** Undefined if the log has no entry of it. */
  entry: LogEntry | undefined;
}

export interface StoredAsset {
  asset: Asset;
  /** Log entries of the current state. */
  entries: readonly LogEntry[];
  /** Reads the ended states, newest first. Called for each pass, because they do not fit in memory. */
  read(): AsyncIterable<StatePortion>;
}

/** Reason and time of an erasure. */
export type ErasureNote = Omit<Redacted, 'pointer'>;

/** Shorter texts occur in other fields by chance. */
const MIN_TEXT_LENGTH = 4;
/** Replaces an unreadable state. Its checksum still does not match. */
const EMPTY_DELTA: BodyDelta = { body: '', sameStart: 0, sameEnd: 0, checksum: -1 };
const EMPTY_OPENING: Opening = { secrets: [], erased: {} };

/**
 * Erases fields from all states of an asset: `survey` passes through them before the instant of the change is known, `bodies` again with it.
 * Only the current state and one other are in memory at a time.
 */
export class ErasedAsset {
  /** Number of states in which something was erased. */
  count = 0;
  /** Number of states that do not match their checksums and are not empty yet. They are emptied, because their contents are unknown. */
  unreadable = 0;
  private readonly current: OpenedBody;
  /** Fields removed from any state: pointers without `*`. */
  private readonly found = new Set<string>();
  /** Erased texts that are long enough to search for, folded. */
  private readonly erasedTexts = new Set<string>();

  /**
   * @param wanted valid pointers
   * @throws ForgedBodyError if the current state is no JSON object, Error if a pointer leads to an item of a list
   */
  constructor(
    private readonly stored: StoredAsset,
    private readonly wanted: readonly string[],
    private readonly time: RegistryTime,
  ) {
    this.current = new OpenedBody(stored.asset.body, wanted);
  }

  /**
   * Finds the fields to erase. Call it before the other methods.
   * @returns the new openings of log entries by their places, in portions
   */
  async *survey(): AsyncGenerator<ReadonlyMap<number, string>> {
    const asset: AssetFields = this.stored.asset;
    this.record(this.current);
    yield new Map(openingOf(this.stored.entries[0], this.current, () => printAsset(asset, this.time)));
    let owner = asset.owner;
    for await (const states of this.ended()) {
      const openings = new Map<number, string>();
      for (const { revision, opened, entry } of states) {
        if (opened !== undefined) this.record(opened);
        else if (!isEmptied(revision)) this.unreadable++;
        // Early versions of the registry stored no owner: it is that of the next public state.
        const { modifiedUs, status, relatedLot } = revision;
        const past = { ...asset, modifiedUs, status, relatedLot, owner: revision.owner ?? owner };
        if (revision.listed === 1) owner = past.owner;
        const print = (): string => printAsset({ ...past, body: opened?.before ?? '{}' }, this.time);
        for (const [place, opening] of openingOf(entry, opened, print)) openings.set(place, opening);
      }
      yield openings;
    }
  }

  private record(opened: OpenedBody): void {
    if (opened.pointers.length > 0) this.count++;
    for (const pointer of opened.pointers) this.found.add(pointer);
    for (const text of opened.texts) if (text.length >= MIN_TEXT_LENGTH) this.erasedTexts.add(folded(text));
  }

  /** Instant of the current state, in microseconds. */
  get modifiedUs(): number {
    return this.stored.asset.modifiedUs;
  }

  /** The wanted pointers that no state has. */
  get unmatched(): string[] {
    const found = [...this.found];
    return this.wanted.filter((pointer) => !found.some((one) => matches(one, pointer)));
  }

  /** Whether a text contains an erased one. */
  hasErasedText(text: string): boolean {
    const searched = folded(text);
    for (const erased of this.erasedTexts) if (searched.includes(erased)) return true;
    return false;
  }

  /** @returns pointers to fields that still contain an erased text in any state; items of lists are `*` */
  async elsewhere(): Promise<string[]> {
    const found = new Set<string>();
    let newer = new Map<string, string>();
    for await (const opened of this.readable()) {
      const texts = opened.remainingTexts();
      // Skips texts of the next state, which are nearly all.
      const others = texts.filter(({ pointer, text }) => newer.get(pointer) !== text);
      const matching = others.filter(({ text }) => this.hasErasedText(text));
      for (const { pointer } of matching) found.add(pointer.replaceAll(/\/\d+(?=\/|$)/g, '/*'));
      newer = new Map(texts.map(({ pointer, text }) => [pointer, text]));
    }
    return [...found].toSorted();
  }

  /** All states that match their checksums, newest first. */
  private async *readable(): AsyncGenerator<OpenedBody> {
    yield this.current;
    for await (const states of this.ended()) for (const { opened } of states) if (opened !== undefined) yield opened;
  }

  /** Makes the erasure a change of the asset. @param us its instant, in microseconds */
  changed(us: number, note: ErasureNote): ErasedCurrent {
    const asset: AssetFields = this.stored.asset;
    const body = this.currentBody(note);
    const changed = [...new Set(this.wanted.map((pointer) => pointerParts(pointer)[0] as string))];
    const ended = { ...revisionOf({ ...asset, body: this.endedBody(note) }, { body, changed }), untilUs: us };
    const feedUs = asset.feedUs === null ? null : us;
    const next = { ...asset, body, version: asset.version + 1, modifiedUs: us, feedUs };
    return { asset: next, ended };
  }

  /** Repeats an erasure, in a restored backup, without a new state. */
  inPlace(note: ErasureNote): ErasedCurrent {
    const body = this.currentBody(note);
    const asset: AssetFields = this.stored.asset;
    return { asset: { ...asset, body }, ended: undefined };
  }

  /** The body of the current state. It lists every erased field, those of earlier states and unmatched ones too. */
  private currentBody(note: ErasureNote): string {
    return this.current.print(redactedBy(note, [...this.found, ...this.unmatched]));
  }

  /**
   * @param current the result of `changed` or `inPlace`
   * @returns the new bodies of the earlier states by the instants at which they ended, in portions
   */
  async *bodies(
    { asset, ended: endedNow }: ErasedCurrent,
    note: ErasureNote,
  ): AsyncGenerator<ReadonlyMap<number, BodyDelta>> {
    let after = endedNow === undefined ? asset.body : this.endedBody(note);
    for await (const states of this.ended()) {
      const bodies = new Map<number, BodyDelta>();
      for (const { revision, opened, isFollowed } of states) {
        const body = opened?.print(redactedBy(note, opened.pointers));
        const delta = body === undefined ? EMPTY_DELTA : bodyDelta(body, isFollowed ? after : '', revision.version);
        bodies.set(revision.untilUs, delta);
        after = body ?? '';
      }
      yield bodies;
    }
  }

  /** The body of the state that the change ends. */
  private endedBody(note: ErasureNote): string {
    return this.current.print(redactedBy(note, this.current.pointers));
  }

  /** Newest first, because each body is stored as a difference to the next one. Callers must consume each portion fully. */
  private async *ended(): AsyncGenerator<Iterable<EndedState>> {
    const { asset } = this.stored;
    const next: NextState = { body: Buffer.from(asset.body), fromUs: asset.modifiedUs };
    for await (const portion of this.stored.read()) yield openStates(portion, next, this.wanted);
  }
}

/** Whether an earlier erasure has emptied the state. */
function isEmptied({ body, checksum }: StoredRevision): boolean {
  return body.length === 0 && checksum === EMPTY_DELTA.checksum;
}

/** The state that follows the one to be read. */
interface NextState {
  body: Buffer | undefined;
  fromUs: number;
}

function* openStates(portion: StatePortion, next: NextState, wanted: readonly string[]): Generator<EndedState> {
  const entries = new Map(portion.entries.map((entry) => [entry.modifiedUs, entry]));
  for (const revision of portion.revisions) {
    const after = next.body;
    const isFollowed = revision.untilUs === next.fromUs;
    const whole = isWhole(revision) ? revision.body : undefined;
    const body: Buffer | undefined = whole ?? (isFollowed && after ? restoreBody(revision, after) : undefined);
    [next.body, next.fromUs] = [body, revision.modifiedUs];
    const isSound = body !== undefined && checksumOf(body) === revision.checksum;
    const opened = isSound ? openBody(body, wanted) : undefined;
    yield { revision, opened, isFollowed, entry: entries.get(revision.modifiedUs) };
  }
}

/** @returns undefined for a forged body with a matching checksum */
function openBody(body: Buffer, wanted: readonly string[]): OpenedBody | undefined {
  try {
    return new OpenedBody(body.toString(), wanted);
  } catch (error) {
    if (error instanceof ForgedBodyError) return undefined;
    throw error;
  }
}

/** @param print prints the asset before the erasure @returns nothing if the entry does not change */
function openingOf(
  entry: LogEntry | undefined,
  opened: OpenedBody | undefined,
  print: () => string,
): [number, string][] {
  if (entry === undefined || opened?.pointers.length === 0) return [];
  if (opened === undefined) return [[entry.place, JSON.stringify(EMPTY_OPENING)]];
  const asset = JSON.parse(print()) as Record<string, unknown>;
  return [[entry.place, JSON.stringify(openingWithout(asset, entry.opening, opened.pointers))]];
}

/** @returns an empty opening if the stored one was damaged, because then it has no salts to keep */
function openingWithout(asset: Record<string, unknown>, opening: string, pointers: readonly string[]): Opening {
  try {
    return erasedOpening(asset, JSON.parse(opening) as Opening, pointers);
  } catch {
    return EMPTY_OPENING;
  }
}

/** Folds case. Does not normalize Unicode: that takes quadratic time for texts that brokers may send, while writers wait. */
function folded(text: string): string {
  return text.toLowerCase().toUpperCase();
}

function redactedBy(note: ErasureNote, pointers: readonly string[]): Redacted[] {
  return pointers.map((pointer) => ({ pointer, ...note }));
}

/** Whether a pointer matches one that may have `*`. */
function matches(pointer: string, wanted: string): boolean {
  const [parts, wantedParts] = [pointer.split('/'), wanted.split('/')];
  return (
    parts.length === wantedParts.length && parts.every((part, i) => wantedParts[i] === part || wantedParts[i] === '*')
  );
}
