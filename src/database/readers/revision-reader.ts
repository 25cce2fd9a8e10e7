import { Injectable } from '@nestjs/common';
import { type Requester, Semaphore } from '../../platform/concurrency/semaphore.js';
import { isWhole, LARGE_FULL_BODY_INTERVAL, FULL_BODY_INTERVAL } from './body-delta.js';
import { READ_ASSETS } from './asset-row.js';
import { Database } from '../database.js';
import { Revision } from '../entities/revision.entity.js';
import { EntityTable, type RowOf } from '../entities/entity-table.js';
import { type EndedStateRow, type PastAsset, pastAsset, type PresentRow } from './past-asset.js';

/** A part of an asset's public history. Instants are microseconds; both bounds are exclusive. */
export interface HistoryRange {
  afterUs: number;
  beforeUs: number;
  newestFirst: boolean;
  limit: number;
}

/** A state of an asset, which began at `modifiedUs`. */
export interface HistoryState {
  modifiedUs: number;
  status: string;
  relatedLot: string | null;
  /** Null if it was stored by a version in which owners could not change. */
  owner: string | null;
  listed: boolean;
  /** The change that led to this state; undefined for a creation, and if its revision is missing. */
  change: { changed: readonly string[]; wasListed: boolean; ownerBefore: string | null } | undefined;
  /** The asset was created in this state. */
  isFirst: boolean;
}

/** An asset's present and past states, from one read view. */
export interface HistoryRead {
  now: HistoryState;
  /** The public states of the range, in its order, including `now`. */
  states: HistoryState[];
}

/** A former position of an asset in the feed. */
export interface FormerPosition {
  id: string;
  modifiedUs: number;
  /** Size of the body at that position. */
  bytes: number;
}

type FormerPositionRow = Pick<FormerPosition, 'id'> & Record<'modifiedUs' | 'bytes', number | string>;

type StateRow = Pick<Revision, 'version' | 'status' | 'relatedLot' | 'owner' | 'listed'> &
  Pick<RowOf<Revision>, 'modifiedUs'> & {
    isNow: number;
    changed: string | null;
    wasListed: number | null;
    ownerBefore: string | null;
  };

/** The asset's current state, or one of its past public states. */
type PastRow = { isNow: number } & (PresentRow | EndedStateRow);

const PREVIOUS_COLUMNS = 'previous.changed, previous.listed AS wasListed, previous.owner AS ownerBefore';
/** Columns of both tables, which are aliased `state`. */
const STATE_COLUMNS = 'state.version, state.modified_us AS modifiedUs, state.status, state.related_lot AS relatedLot';
/** Uses the primary key, so that only the newest changes are read. */
const FORMER_POSITIONS_SQL = `SELECT asset AS id, modified_us AS modifiedUs, OCTET_LENGTH(body) + same_start + same_end AS bytes
  FROM revision WHERE until_us > ? AND modified_us > ? AND modified_us < ? AND listed = 1`;
/** Columns that revisions have; the others of an asset never change. */
const CHANGING_COLUMNS: ReadonlySet<string> = new Set(EntityTable.of(Revision).columns);

/** Concurrent restorations of past states: each may need the memory of FULL_BODY_INTERVAL bodies. */
const MAX_CONCURRENT = 4;

/** Reads past states of assets. Each read is one statement, or two for the body of a large asset. */
@Injectable()
export class RevisionReader {
  private readonly restorations = new Semaphore(MAX_CONCURRENT);

  constructor(private readonly database: Database) {}

  /** @param id 32 lower-case hex characters @returns undefined if there is no such asset @throws ApiError 503 while the database is away */
  async list(id: string, range: HistoryRange): Promise<HistoryRead | undefined> {
    const bounds = [range.afterUs, range.beforeUs, range.limit].map(BigInt);
    const rows = await this.database.read<StateRow>(this.pageSql(range.newestFirst), [id, id, ...bounds]);
    return toHistoryRead(rows, range);
  }

  private forceIndexSql(): string {
    return this.database.dialect.sql.forceIndex('ix_revision_asset');
  }

  /** Use it only for columns in `ix_revision_beside_body`. */
  private coveringIndexSql(): string {
    return this.database.dialect.sql.coveringIndex('ix_revision_beside_body');
  }

  /** Joins the revision that ended when the state began. */
  private previousSql(): string {
    return `LEFT JOIN revision previous ${this.coveringIndexSql()} ON previous.until_us = state.modified_us`;
  }

  private pageSql(newestFirst: boolean): string {
    const index = this.coveringIndexSql();
    const owner =
      index === ''
        ? 'state.owner'
        : `(SELECT own.owner FROM revision own ${index} WHERE own.until_us = state.until_us)`;
    const past = `SELECT 0, ${STATE_COLUMNS}, ${owner}, 1, ${PREVIOUS_COLUMNS} FROM revision state ${this.forceIndexSql()} ${this.previousSql()}
      WHERE state.asset = ? AND state.listed = 1 AND state.modified_us > ? AND state.modified_us < ?
      ORDER BY state.modified_us ${newestFirst ? 'DESC' : 'ASC'} LIMIT ?`;
    return `SELECT 1 AS isNow, ${STATE_COLUMNS}, state.owner, state.feed_us IS NOT NULL AS listed, ${PREVIOUS_COLUMNS} FROM asset state ${this.previousSql()}
      WHERE state.id = ? UNION ALL ${this.database.dialect.sql.unionPart(past)}`;
  }

  /**
   * An asset at an instant.
   * @param us in microseconds
   * @returns undefined if there is no such asset @throws ApiError 503 while the database is away, or if the caller has disconnected
   */
  at(id: string, us: number, caller?: Requester): Promise<PastAsset | undefined> {
    return this.restorations.run(() => this.readAt(id, us), caller);
  }

  private async readAt(id: string, us: number): Promise<PastAsset | undefined> {
    const instant = BigInt(us);
    const read = (most: number): Promise<PastRow[]> =>
      this.database.read<PastRow>(this.atSql(most), [id, id, instant, id, instant]);
    let rows = await read(FULL_BODY_INTERVAL);
    if (needsMore(rows.filter(isEnded))) rows = await read(LARGE_FULL_BODY_INTERVAL);
    const now = rows.find(isPresent);
    return now && pastAsset(us, now, rows.filter(isEnded));
  }

  /**
   * The positions in the feed that assets had at an instant and have left since. @param us in microseconds @throws ApiError 503 while the
   * database is away
   */
  async positionsLeftSince(
    us: number,
    { afterUs, beforeUs }: Pick<HistoryRange, 'afterUs' | 'beforeUs'>,
  ): Promise<FormerPosition[]> {
    const values = [us, afterUs, Math.min(beforeUs, us + 1)].map(BigInt);
    const rows = await this.database.read<FormerPositionRow>(FORMER_POSITIONS_SQL, values);
    return rows.map(({ id, modifiedUs, bytes }) => ({ id, modifiedUs: Number(modifiedUs), bytes: Number(bytes) }));
  }

  /** Selects the owner of the first later state that has one. If none has, the asset's owner has never changed. */
  private nextOwnerSql(): string {
    return `SELECT later.owner FROM revision later ${this.forceIndexSql()}
      WHERE later.asset = state.asset AND later.listed = 1 AND later.modified_us > state.modified_us AND later.owner IS NOT NULL
      ORDER BY later.modified_us LIMIT 1`;
  }

  /** Selects the state at the instant, and later ones from which its body may have to be restored. @param most states in all */
  private atSql(most: number): string {
    const { dialect } = this.database;
    const columns = (past: boolean): string =>
      READ_ASSETS.select((column) => {
        if (column === 'body') return dialect.sql.bytes('state.body');
        if (past && column === 'owner') return `COALESCE(state.owner, (${this.nextOwnerSql()}))`;
        return past && !CHANGING_COLUMNS.has(column) ? 'NULL' : `state.${column}`;
      });
    const hasPredecessor = 'state.version, previous.until_us IS NOT NULL AS hasPredecessor';
    const past = (condition: string): string =>
      dialect.sql
        .unionPart(`SELECT 0, ${columns(true)}, ${hasPredecessor}, state.listed, state.until_us, state.same_start, state.same_end, state.checksum
      FROM revision state ${this.forceIndexSql()} ${this.previousSql()} WHERE state.asset = ? AND state.listed = 1 AND state.modified_us ${condition}`);
    return `SELECT 1 AS isNow, ${columns(false)}, ${hasPredecessor}, state.feed_us IS NOT NULL AS listed, NULL AS untilUs, NULL AS sameStart, NULL AS sameEnd, NULL AS checksum
      FROM asset state ${this.previousSql()} WHERE state.id = ?
      UNION ALL ${past('<= ? ORDER BY state.modified_us DESC LIMIT 1')}
      UNION ALL ${past(`> ? ORDER BY state.modified_us LIMIT ${most - 1}`)}`;
  }
}

function isPresent(row: PastRow): row is PastRow & PresentRow {
  return row.isNow === 1;
}

function isEnded(row: PastRow): row is PastRow & EndedStateRow {
  return row.isNow === 0;
}

/** Whether the body needs more rows, as only a large one does. */
function needsMore(ended: readonly EndedStateRow[]): boolean {
  return ended.length === FULL_BODY_INTERVAL && !ended.some(isWhole);
}

/** @returns undefined if there is no such asset */
function toHistoryRead(rows: readonly StateRow[], range: HistoryRange): HistoryRead | undefined {
  const row = rows.find(({ isNow }) => isNow === 1);
  if (row === undefined) return undefined;
  const now = toState(row);
  const states = rows.filter((other) => other !== row).map(toState);
  if (now.listed && now.modifiedUs > range.afterUs && now.modifiedUs < range.beforeUs) states.push(now);
  const direction = range.newestFirst ? -1 : 1;
  states.sort((a, b) => direction * (a.modifiedUs - b.modifiedUs));
  return { now, states: states.slice(0, range.limit) };
}

function toState(row: StateRow): HistoryState {
  const { version, modifiedUs, status, relatedLot, owner, listed, changed, wasListed, ownerBefore } = row;
  return {
    modifiedUs: Number(modifiedUs),
    status,
    relatedLot,
    owner,
    listed: listed === 1,
    change:
      changed === null
        ? undefined
        : { changed: JSON.parse(changed) as string[], wasListed: wasListed === 1, ownerBefore },
    isFirst: version === 1,
  };
}
