import { printAsset } from '../asset/asset-view.js';
import type { Redacted } from '../asset/redacted.js';
import { erasedOpening, type Opening } from '../commitments/commitment.js';
import { pointerParts } from '../commitments/leaves.js';
import type { Asset } from '../database/entities/asset.entity.js';
import type { LogEntry } from '../database/entities/log-entry.entity.js';
import type { ErasedStates, KeptRevision, KeptStates } from '../database/redaction.js';
import { checksumOf, isWhole, keptBody, type KeptBody, restoredBody } from '../database/kept-body.js';
import type { RegistryTime } from '../time/registry-time.js';
import { OpenedBody } from './opened-body.js';

/** The entity without its class. */
type AssetFields = Pick<Asset, keyof Asset>;

/** A state that a change has ended. */
interface EndedState {
  revision: KeptRevision;
  /** Undefined where nobody can tell what it was any more. */
  opened: OpenedBody | undefined;
  /** Whether the state after it is kept. */
  isFollowed: boolean;
}

/** Shorter texts stand in many places by chance. */
const LEAST_TOLD = 4;
/** What was kept of a state that cannot be read: nothing. It has a checksum that it does not match, as before. */
const NOTHING: KeptBody = { body: '', sameStart: 0, sameEnd: 0, checksum: -1 };
const NOTHING_OPENED: Opening = { salts: {}, erased: {} };

/** All states of an asset, with what was taken out of them. What it becomes is known with the instant of the change. */
export class ErasedAsset {
  private readonly current: OpenedBody;
  /** The newest first. */
  private readonly ended: readonly EndedState[];
  private readonly openings: ReadonlyMap<number, string>;

  /**
   * @param wanted pointers that were checked
   * @throws Error where one of them leads to an item of a list
   */
  constructor(
    private readonly kept: KeptStates,
    private readonly wanted: readonly string[],
    time: RegistryTime,
  ) {
    this.current = new OpenedBody(kept.asset.body, wanted);
    this.ended = openedStates(kept, wanted);
    this.openings = new Map(this.openingsOf(time));
  }

  /** In how many states something was erased. */
  get count(): number {
    return this.opened.filter(({ pointers }) => pointers.length > 0).length;
  }

  /** How many states did not match their checksums: they are emptied, as nobody knows what is in them. */
  get unreadable(): number {
    return this.ended.filter(({ opened }) => opened === undefined).length;
  }

  /** The wanted pointers that lead to nothing in any state. */
  get unmet(): string[] {
    const { met } = this;
    return this.wanted.filter((pointer) => !met.some((one) => isOf(one, pointer)));
  }

  /** What was taken out of any state: pointers without `*`. */
  private get met(): string[] {
    return [...new Set(this.opened.flatMap(({ pointers }) => pointers))];
  }

  /** The texts that were erased, and are long enough to be looked for. */
  get texts(): string[] {
    const texts = this.opened.flatMap((opened) => opened.texts);
    return [...new Set(texts)].filter(({ length }) => length >= LEAST_TOLD);
  }

  /** Where a text that was erased still stands in a state of the asset; items of lists are `*`. */
  elsewhere(): string[] {
    const { texts } = this;
    const found = this.opened
      .flatMap((opened) => opened.left())
      .filter(({ text }) => texts.some((erased) => text.includes(erased)));
    return [...new Set(found.map(({ pointer }) => pointer.replaceAll(/\/\d+(?=\/|$)/g, '/*')))].toSorted();
  }

  /** What is written where the erasure is a change of the asset. @param us its instant, in microseconds */
  changed(us: number, told: Pick<Redacted, 'reason' | 'at'>): ErasedStates {
    const asset: AssetFields = this.kept.asset;
    const { id, version, modifiedUs, status, relatedLot, owner, feedUs } = asset;
    const body = this.currentBody(told);
    const before = this.current.print(toldOf(this.current.pointers, told));
    const changed = [...new Set(this.wanted.map((pointer) => pointerParts(pointer)[0] as string))];
    const ended = {
      untilUs: us,
      asset: id,
      version,
      modifiedUs,
      status,
      relatedLot,
      owner,
      ...keptBody(before, body, version),
      listed: feedUs === null ? 0 : 1,
      changed: JSON.stringify(changed),
    };
    const next = { ...asset, body, version: version + 1, modifiedUs: us, feedUs: feedUs === null ? null : us };
    return { asset: next, bodies: this.bodies(before, told), openings: this.openings, ended };
  }

  /** What is written where it is erased again, as in a backup that was made before: no state begins or ends. */
  inPlace(told: Pick<Redacted, 'reason' | 'at'>): ErasedStates {
    const body = this.currentBody(told);
    const now: AssetFields = this.kept.asset;
    const asset = { ...now, body };
    return { asset, bodies: this.bodies(body, told), openings: this.openings, ended: undefined };
  }

  /** It tells of all that was erased, though only earlier states had it. Of what none is known to have had, it says what was wanted. */
  private currentBody(told: Pick<Redacted, 'reason' | 'at'>): string {
    return this.current.print(toldOf([...this.met, ...this.unmet], told));
  }

  private get opened(): OpenedBody[] {
    return [this.current, ...this.ended.flatMap(({ opened }) => opened ?? [])];
  }

  /** @param current body of the state that ends the newest revision */
  private bodies(current: string, told: Pick<Redacted, 'reason' | 'at'>): Map<number, KeptBody> {
    const bodies = new Map<number, KeptBody>();
    let after = current;
    for (const { revision, opened, isFollowed } of this.ended) {
      const body = opened?.print(toldOf(opened.pointers, told));
      bodies.set(
        revision.untilUs,
        body === undefined ? NOTHING : keptBody(body, isFollowed ? after : '', revision.version),
      );
      after = body ?? '';
    }
    return bodies;
  }

  private *openingsOf(time: RegistryTime): Generator<[number, string]> {
    const entries = new Map(this.kept.entries.map((entry) => [entry.modifiedUs, entry]));
    const asset: AssetFields = this.kept.asset;
    yield* openingOf(entries.get(asset.modifiedUs), this.current, () => printAsset(asset, time));
    let owner = asset.owner;
    for (const { revision, opened } of this.ended) {
      // A version that knew no other owner than the first wrote none: it is that of the next public state.
      const { modifiedUs, status, relatedLot } = revision;
      const then = { ...asset, modifiedUs, status, relatedLot, owner: revision.owner ?? owner };
      if (revision.listed === 1) owner = then.owner;
      const print = (): string => printAsset({ ...then, body: opened?.before ?? '{}' }, time);
      yield* openingOf(entries.get(modifiedUs), opened, print);
    }
  }
}

/** From the newest to the oldest: each body is kept beside the one after it. */
function openedStates({ asset, revisions }: KeptStates, wanted: readonly string[]): EndedState[] {
  let after: Buffer | undefined = Buffer.from(asset.body);
  let fromUs = asset.modifiedUs;
  return revisions.map((revision) => {
    const isFollowed = revision.untilUs === fromUs;
    const whole = isWhole(revision) ? revision.body : undefined;
    const body: Buffer | undefined = whole ?? (isFollowed && after ? restoredBody(revision, after) : undefined);
    [after, fromUs] = [body, revision.modifiedUs];
    const isSound = body !== undefined && checksumOf(body) === revision.checksum;
    return { revision, opened: isSound ? new OpenedBody(body.toString(), wanted) : undefined, isFollowed };
  });
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
  const opening = erasedOpening(asset, JSON.parse(entry.opening) as Opening, opened.pointers);
  return [[entry.place, JSON.stringify(opening)]];
}

function toldOf(pointers: readonly string[], told: Pick<Redacted, 'reason' | 'at'>): Redacted[] {
  return pointers.map((pointer) => ({ pointer, ...told }));
}

/** Whether a pointer is what another one with `*` means. */
function isOf(pointer: string, wanted: string): boolean {
  const [parts, wantedParts] = [pointer.split('/'), wanted.split('/')];
  return (
    parts.length === wantedParts.length && parts.every((part, i) => wantedParts[i] === part || wantedParts[i] === '*')
  );
}
