/*
 * What the clients of a run saw, kept small enough for a million changes: numbers instead of texts, and digests instead of bodies.
 * Times are milliseconds of performance.now(), instants are microseconds since 1970 UTC.
 */
import type { Content } from './content.js';

/** `ok` was acknowledged, `fail` was refused for certain, `info` may have been kept or not. */
export type Outcome = 'ok' | 'fail' | 'info';

export type WriteKind = 'create' | 'publish' | 'patch' | 'delete';

/** A create, or a change by its owner. Every one puts a text of its own into the fields that it writes. */
export interface Write {
  /** The number that its texts carry. */
  op: number;
  kind: WriteKind;
  /** Index of the asset; -1 where a create got no answer. */
  asset: number;
  /** Bits of FIELDS. */
  fields: number;
  invoked: number;
  returned: number;
  outcome: Outcome;
  /** dateModified of the answer; 0 without one. */
  us: number;
  /** The asset as it was answered. */
  content?: Content;
  /** Of the answer to a create. */
  assetID?: string;
  /** Local day of `date`, of the answer to a create. */
  day?: string;
}

/** An answer to GET /assets/{id}. */
export interface Detail {
  /** Who asked: reads of one client never go back. */
  client: number;
  asset: number;
  invoked: number;
  returned: number;
  us: number;
  /** What the client knew already, from a listing or from its own write. */
  floorUs: number;
  content: Content;
}

/** An entry of the listing as it was shown. */
export interface Entry {
  asset: number;
  us: number;
  /** Of the whole asset; 0 where the page did not show it. */
  digest: number;
}

/** A page of the listing; its entries are the follower's, from `from` to before `to`. */
export interface Page {
  /** Pages of one walk follow each other by next_page. */
  walk: number;
  node: number;
  invoked: number;
  returned: number;
  limit: number;
  descending: boolean;
  /** The offset sent; NaN for none. */
  offsetUs: number;
  /** next_page.offset; NaN for an empty one. */
  nextUs: number;
  /** prev_page.offset; NaN for none. */
  prevUs: number;
  /** Whether next_page.offset is the text that was sent. */
  echoes: boolean;
  from: number;
  to: number;
}

/** A synchroniser's walk through the run. */
export class Follower {
  readonly pages: Page[] = [];
  /** In the order in which they came. */
  readonly entries: Entry[] = [];

  constructor(
    readonly name: string,
    readonly number: number,
  ) {}
}

/** A process that was stopped for a while, and what requests took meanwhile. */
interface Freeze {
  target: 'database' | 'service';
  /** Of a service; -1 for the database. */
  node: number;
  began: number;
  ended: number;
  /** The longest request that met the freeze. */
  longestMs: number;
}

const MAX_COMPLAINTS = 50;

/** Everything that one run recorded. */
export class History {
  /** In the order of their answers. */
  readonly writes: Write[] = [];
  readonly details: Detail[] = [];
  readonly followers: Follower[] = [];
  readonly freezes: Freeze[] = [];
  /** What clients could not understand, or should never have been answered. */
  readonly complaints: string[] = [];
  readonly ids: string[] = [];
  /** Times the clock of a service was made to step. */
  clockSteps = 0;
  acknowledged = 0;
  private readonly indexes = new Map<string, number>();
  private complaintsLeft = MAX_COMPLAINTS;

  /** The index of an asset, the same for the whole run. */
  assetOf(id: string): number {
    const known = this.indexes.get(id);
    if (known !== undefined) return known;
    this.indexes.set(id, this.ids.length);
    this.ids.push(id);
    return this.ids.length - 1;
  }

  noteWrite(write: Write): void {
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

  /** Told of every request, answered or not. */
  noteRequest(request: Span): void {
    const met = this.freezes.filter((freeze) => overlaps(freeze, request));
    // A frozen service cannot answer, whatever the database does.
    const excused = met.some(({ target, node }) => target === 'service' && node === request.node);
    const took = request.returned - request.invoked;
    for (const freeze of met)
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

/** Writes by asset; those without one are left out. */
export function byAsset(writes: readonly Write[]): Map<number, Write[]> {
  const groups = new Map<number, Write[]>();
  for (const write of writes) {
    const group = groups.get(write.asset);
    if (group !== undefined) group.push(write);
    else if (write.asset !== -1) groups.set(write.asset, [write]);
  }
  return groups;
}
