import type { Asset } from '../../src/database/entities/asset.entity.js';
import type { Receipt } from '../../src/database/entities/receipt.entity.js';
import type { Revision } from '../../src/database/entities/revision.entity.js';
import type { FeedRange, FeedSnapshot } from '../../src/database/readers/feed-reader.js';
import type { FormerPosition } from '../../src/database/readers/revision-reader.js';
import { partitionPoint } from '../support/partition-point.js';
import type { Random } from '../support/random.js';
import { Locks } from './locks.js';
import type { VirtualTime } from './virtual-time.js';

const LOCK_WAIT_MS = 2_000;
const EPOCH = 'the only one';

/** Guarantees of a kind of database. */
export interface DatabaseRules {
  /** A read view is of one moment, or it checks transactions one after the other, as MariaDB's does. */
  views: 'atomic' | 'torn';
  /** Whether a commit can be seen before it would survive a crash. */
  visible: 'when durable' | 'before it is durable';
  /** One writer at a time, from the beginning of its transaction on, as with SQLite. */
  oneWriter: boolean;
}

/** Guarantees that the service assumes; wrong in tests that show the consequences. */
export type AssumedRules = Pick<DatabaseRules, 'views' | 'visible'>;

/** A transaction's rows before and after, so that it can be rolled back or left out of a view. */
interface Commit {
  clockUs: number;
  clockBeforeUs: number;
  rows: { after: Asset; before: Asset | undefined }[];
  numbers: { day: string; after: number; before: number }[];
  receipts: Receipt[];
  revisions: Revision[];
}

/** The changes of a transaction before its commit. */
export interface Changes {
  clockUs: number | undefined;
  rows: Asset[];
  numbers: Map<string, number>;
  receipts: Receipt[];
  revisions: Revision[];
}

/** The state of a database: what is visible, what of it is durable, and its locks. */
export class SimulatedDatabase {
  isUp = true;
  /** The database is frozen until this time. */
  frozenUntilMs = 0;
  /** Number of crashes; connections of an earlier life are lost. */
  life = 0;
  /** Commits in progress. */
  committing = 0;
  /** A transaction that is in the log but not visible yet. */
  logged: Changes | undefined;
  readonly rows = new Map<string, Asset>();
  /** None expires during a simulation. */
  readonly receipts = new Map<string, Receipt>();
  /** By the instants that ended them. */
  readonly revisions = new Map<number, Revision>();
  readonly locks: Locks;
  clockUs = 0;
  private readonly numbers = new Map<string, number>();
  private readonly commits: Commit[] = [];
  private durableCount = 0;
  /** Every position in the feed that was ever given out, in order; one counts while its asset still has it. */
  private positions: { us: number; id: string }[] = [];

  constructor(
    readonly rules: DatabaseRules,
    readonly time: VirtualTime,
    private readonly random: Random,
  ) {
    this.locks = new Locks(time, LOCK_WAIT_MS);
  }

  lastNumber(day: string): number {
    return this.numbers.get(day) ?? 0;
  }

  /** Makes changes visible. @returns how many commits there are now */
  apply({ clockUs, rows, numbers, receipts, revisions }: Changes): number {
    this.commits.push({
      clockUs: clockUs ?? this.clockUs,
      clockBeforeUs: this.clockUs,
      rows: rows.map((after) => ({ after, before: this.rows.get(after.id) })),
      numbers: [...numbers].map(([day, after]) => ({ day, after, before: this.lastNumber(day) })),
      receipts,
      revisions,
    });
    this.clockUs = clockUs ?? this.clockUs;
    for (const [day, last] of numbers) this.numbers.set(day, last);
    for (const receipt of receipts) this.receipts.set(receipt.id, receipt);
    for (const revision of revisions) this.revisions.set(revision.untilUs, revision);
    for (const row of rows) {
      this.rows.set(row.id, row);
      if (row.feedUs !== null)
        this.positions.splice(this.firstPositionAt(row.feedUs), 0, { us: row.feedUs, id: row.id });
    }
    if (this.rules.visible === 'when durable') this.durableCount = this.commits.length;
    return this.commits.length;
  }

  get commitCount(): number {
    return this.commits.length;
  }

  /** The log is sequential: what is flushed makes everything before it durable, too. */
  makeDurable(count: number): void {
    this.durableCount = Math.max(this.durableCount, Math.min(count, this.commits.length));
  }

  /** Everything that is not durable is gone, and so are all connections. What is in the log is brought back. */
  crash(): void {
    this.isUp = false;
    this.life++;
    this.locks.clear();
    while (this.commits.length > this.durableCount) this.takeBack(this.commits.pop() as Commit);
    this.positions = this.positions.filter(({ us }) => us <= this.clockUs);
    if (this.logged !== undefined) this.apply(this.logged);
    this.logged = undefined;
  }

  private takeBack({ clockBeforeUs, rows, numbers, receipts, revisions }: Commit): void {
    this.clockUs = clockBeforeUs;
    for (const { id } of receipts) this.receipts.delete(id);
    for (const { untilUs } of revisions) this.revisions.delete(untilUs);
    for (const { after, before } of rows) {
      if (before === undefined) this.rows.delete(after.id);
      else this.rows.set(after.id, before);
    }
    for (const { day, before } of numbers) this.numbers.set(day, before);
  }

  /** Public states that ended after an instant, in a view as that of a page. */
  endedAfter(us: number, commitCountBefore: number): Revision[] {
    const missed = new Set(this.leftOut(commitCountBefore).flatMap(({ revisions }) => revisions));
    return [...this.revisions.values()].filter(
      (revision) => revision.untilUs > us && revision.listed === 1 && !missed.has(revision),
    );
  }

  /** Positions in a range that assets had at an instant and have left since, in a view as that of a page. */
  positionsLeftSince(us: number, { afterUs, beforeUs }: FeedRange, commitCountBefore: number): FormerPosition[] {
    return this.endedAfter(us, commitCountBefore)
      .map(({ asset: id, modifiedUs }) => ({ id, modifiedUs, bytes: 0 }))
      .filter(({ modifiedUs }) => modifiedUs <= us && modifiedUs > afterUs && modifiedUs < beforeUs);
  }

  /** A page as a view shows it that was opened when there were `commitCountBefore` commits, and is complete now. */
  view(range: FeedRange, commitCountBefore: number): FeedSnapshot {
    const left = this.leftOut(commitCountBefore);
    const { limit } = range;
    if (left.length === 0) return { clockUs: this.clockUs, epoch: EPOCH, limit, entries: this.page(range, new Map()) };
    const leftOut = new Set(left);
    const seen = new Map<string, Asset | undefined>();
    let clockUs = this.commits[commitCountBefore]?.clockBeforeUs ?? this.clockUs;
    for (const commit of this.commits.slice(commitCountBefore)) {
      for (const { after, before } of commit.rows) {
        if (!seen.has(after.id)) seen.set(after.id, before);
        if (!leftOut.has(commit)) seen.set(after.id, after);
      }
      if (!leftOut.has(commit)) clockUs = commit.clockUs;
    }
    return { clockUs, epoch: EPOCH, limit, entries: this.page(range, seen) };
  }

  /** The view checks each transaction at another moment, so it may miss any that was committed meanwhile. */
  private leftOut(commitCountBefore: number): Commit[] {
    if (this.rules.views === 'atomic') return [];
    return this.commits.slice(commitCountBefore).filter(() => this.random.chance(0.5));
  }

  /** @param seen assets that the view shows in another state than the present one */
  private page(range: FeedRange, seen: ReadonlyMap<string, Asset | undefined>): FeedSnapshot['entries'] {
    const entries: FeedSnapshot['entries'] = [];
    const { positions } = this;
    const step = range.newestFirst ? -1 : 1;
    let i = range.newestFirst ? this.firstPositionAt(range.beforeUs) - 1 : this.firstPositionAt(range.afterUs + 1);
    for (; entries.length < range.limit; i += step) {
      const position = positions[i];
      if (position === undefined || position.us >= range.beforeUs || position.us <= range.afterUs) break;
      const asset = seen.has(position.id) ? seen.get(position.id) : this.rows.get(position.id);
      if (asset?.feedUs === position.us) entries.push({ id: position.id, modifiedUs: position.us, asset: undefined });
    }
    return entries;
  }

  private firstPositionAt(us: number): number {
    return partitionPoint(this.positions, (position) => position.us >= us);
  }
}
