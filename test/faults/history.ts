/*
 * The observations of a run's clients, small enough for a million changes: numbers instead of texts, digests instead of bodies. Times are
 * milliseconds
 * of performance.now(), instants are microseconds since 1970 UTC.
 */
import type { Content } from './content.js';

/** `ok` was acknowledged, `fail` was certainly refused, `info` may be committed or not. */
export type Outcome = 'ok' | 'fail' | 'info';

export type WriteKind = 'create' | 'publish' | 'patch' | 'delete';

/** A create, or a change by its owner. Each writes a unique text into its fields. */
export interface Write {
  /** The number in its texts. */
  op: number;
  kind: WriteKind;
  /** Index of the asset; -1 if a create got no answer. */
  asset: number;
  /** Bit set of FIELDS. */
  fields: number;
  invoked: number;
  returned: number;
  outcome: Outcome;
  /** dateModified of the answer; 0 without an answer. */
  us: number;
  /** The asset in the answer. */
  content?: Content;
  /** Only in the answer to a create. */
  assetID?: string;
  /** Local day of `date`; only in the answer to a create. */
  day?: string;
}

/** An answer to GET /assets/{id}. */
export interface Detail {
  /** Number of the reader: the reads of one client never go back. */
  client: number;
  asset: number;
  invoked: number;
  returned: number;
  us: number;
  /** The instant that the client already knew, from a listing or from its own write. */
  floorUs: number;
  content: Content;
}

/** An entry of the listing. */
export interface Entry {
  asset: number;
  us: number;
  /** Digest of the whole asset; 0 if the page did not show it. */
  digest: number;
}

/** A page of the listing; its entries are the follower's, from `from` up to `to`, exclusive. */
export interface Page {
  /** Pages of one walk are linked by next_page. */
  walk: number;
  node: number;
  invoked: number;
  returned: number;
  limit: number;
  descending: boolean;
  /** The offset sent; NaN if none. */
  offsetUs: number;
  /** next_page.offset; NaN if empty. */
  nextUs: number;
  /** prev_page.offset; NaN if absent. */
  prevUs: number;
  /** Whether next_page.offset is the same text as the offset sent. */
  echoes: boolean;
  from: number;
  to: number;
}

/** The observations of one synchroniser. */
export class Follower {
  readonly pages: Page[] = [];
  /** In order of arrival. */
  readonly entries: Entry[] = [];

  constructor(
    readonly name: string,
    readonly number: number,
  ) {}
}

/** A suspended process, and the duration of requests meanwhile. */
interface Freeze {
  target: 'database' | 'service';
  /** Number of the service; -1 for the database. */
  node: number;
  began: number;
  ended: number;
  /** The longest request that overlapped the freeze. */
  longestMs: number;
}

const MAX_COMPLAINTS = 50;

/** All observations of one run. */
export class History {
  /** In the order of their answers. */
  readonly writes: Write[] = [];
  readonly details: Detail[] = [];
  readonly followers: Follower[] = [];
  readonly freezes: Freeze[] = [];
  /** Answers that clients could not understand, or that must not occur. */
  readonly complaints: string[] = [];
  readonly ids: string[] = [];
  /** Number of steps of a service's clock. */
  clockSteps = 0;
  acknowledged = 0;
  private readonly indexes = new Map<string, number>();
  private complaintsLeft = MAX_COMPLAINTS;

  /** The index of an asset, constant for the whole run. */
  assetOf(id: string): number {
    const known = this.indexes.get(id);
    if (known !== undefined) return known;
    this.indexes.set(id, this.ids.length);
    this.ids.push(id);
    return this.ids.length - 1;
  }

  recordWrite(write: Write): void {
    this.writes.push(write);
    if (write.outcome === 'ok') this.acknowledged += 1;
  }

  complain(sentence: string): void {
    if (this.complaintsLeft-- > 0) this.complaints.push(sentence);
  }

  freeze(target: Freeze['target'], node: number): Freeze {
    const began = performance.now();
    const freeze = { target, node, began, ended: Infinity, longestMs: 0 };
    this.freezes.push(freeze);
    return freeze;
  }

  /** Records a request, answered or not. */
  recordRequest(request: Span): void {
    const overlapping = this.freezes.filter((freeze) => overlaps(freeze, request));
    // A frozen service cannot answer, regardless of the database.
    const excused = overlapping.some(({ target, node }) => target === 'service' && node === request.node);
    const took = request.returned - request.invoked;
    for (const freeze of overlapping)
      if (freeze.target === 'service' || !excused) freeze.longestMs = Math.max(freeze.longestMs, took);
  }
}

export interface Span {
  node: number;
  invoked: number;
  returned: number;
}

function overlaps(freeze: Freeze, { invoked, returned }: Span): boolean {
  return invoked < freeze.ended && returned > freeze.began;
}

/** Writes by asset; writes without an asset are left out. */
export function byAsset(writes: readonly Write[]): Map<number, Write[]> {
  const groups = new Map<number, Write[]>();
  for (const write of writes) {
    const group = groups.get(write.asset);
    if (group !== undefined) group.push(write);
    else if (write.asset !== -1) groups.set(write.asset, [write]);
  }
  return groups;
}
