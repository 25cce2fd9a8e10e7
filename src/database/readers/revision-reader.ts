import { Injectable } from '@nestjs/common';
import { type Requester, Semaphore } from '../../platform/concurrency/semaphore.js';
import { isWhole, LARGE_WHOLE_EVERY, WHOLE_EVERY } from './body-delta.js';
import { READ_ASSETS } from './asset-row.js';
import { Database } from '../database.js';
import { Revision } from '../entities/revision.entity.js';
import { EntityTable, type RowOf } from '../entities/entity-table.js';
import { type EndedStateRow, type PastAsset, pastAsset, type PresentRow } from './past-asset.js';

/** What part of an asset's public history is wanted. Instants are microseconds; both bounds are outside of it. */
export interface HistoryRange {
  afterUs: number;
  beforeUs: number;
  newestFirst: boolean;
  limit: number;
}

/** What an asset was from an instant on, until its next state. */
export interface HistoryState {
  modifiedUs: number;
  status: string;
  relatedLot: string | null;
  /** Null where a version kept it that knew no other owner than the first. */
  owner: string | null;
  listed: boolean;
  /** The change that made it so; undefined for a creation, and where no revision tells of it. */
  change: { changed: readonly string[]; wasListed: boolean; ownerBefore: string | null } | undefined;
  /** The asset was created in this state, so that no change leads to it. */
  isFirst: boolean;
}

/** From one read view. */
export interface HistorySnapshot {
  now: HistoryState;
  /** The public states of the range, in its order, `now` among them. */
  states: HistoryState[];
}

/** Where an asset stood in the feed. */
export interface LeftPlace {
  id: string;
  modifiedUs: number;
  /** Size of the body in that state. */
  bytes: number;
}

type LeftRow = Pick<LeftPlace, 'id'> & Record<'modifiedUs' | 'bytes', number | string>;

type StateRow = Pick<Revision, 'version' | 'status' | 'relatedLot' | 'owner' | 'listed'> &
  Pick<RowOf<Revision>, 'modifiedUs'> & {
    isNow: number;
    changed: string | null;
    wasListed: number | null;
    ownerBefore: string | null;
  };

/** The asset as it is now, or one of its public revisions. */
type PastRow = { isNow: number } & (PresentRow | EndedStateRow);

const PREVIOUS = 'previous.changed, previous.listed AS wasListed, previous.owner AS ownerBefore';
/** Both tables have it, under the name `state`. */
const STATE = 'state.version, state.modified_us AS modifiedUs, state.status, state.related_lot AS relatedLot';
/** Reads by the primary key, so that only the newest changes are looked at. */
const LEFT_SQL = `SELECT asset AS id, modified_us AS modifiedUs, OCTET_LENGTH(body) + same_start + same_end AS bytes
  FROM revision WHERE until_us > ? AND modified_us > ? AND modified_us < ? AND listed = 1`;
/** What else of an asset is read it keeps for ever, so that revisions have none. */
const CHANGING: ReadonlySet<string> = new Set(EntityTable.of(Revision).columns);

/** How many earlier states are put together at once: each takes up to WHOLE_EVERY bodies. */
const MAX_PAST_AT_ONCE = 4;

/** Reads of what assets were. Each is one statement, or two for a large asset, which reads the rows that it answers, or those that a body is put together from. */
@Injectable()
export class RevisionReader {
  private readonly pastAtOnce = new Semaphore(MAX_PAST_AT_ONCE);

  constructor(private readonly database: Database) {}

  /** @param id 32 lower-case hex characters @returns undefined where there is no such asset @throws ApiError 503 while the database is away */
  async list(id: string, range: HistoryRange): Promise<HistorySnapshot | undefined> {
    const bounds = [range.afterUs, range.beforeUs, range.limit].map(BigInt);
    const rows = await this.database.read<StateRow>(this.pageSql(range.newestFirst), [id, id, ...bounds]);
    return toSnapshot(rows, range);
  }

  private byIndexSql(): string {
    return this.database.dialect.sql.forceIndex('ix_revision_asset');
  }

  /** Of a revision only what `ix_revision_beside_body` holds may be read by it. */
  private besideBodySql(): string {
    return this.database.dialect.sql.coveringIndex('ix_revision_beside_body');
  }

  /** The change before, by the key of its revision. */
  private previousSql(): string {
    return `LEFT JOIN revision previous ${this.besideBodySql()} ON previous.until_us = state.modified_us`;
  }

  private pageSql(newestFirst: boolean): string {
    const index = this.besideBodySql();
    const owner =
      index === ''
        ? 'state.owner'
        : `(SELECT own.owner FROM revision own ${index} WHERE own.until_us = state.until_us)`;
    const past = `SELECT 0, ${STATE}, ${owner}, 1, ${PREVIOUS} FROM revision state ${this.byIndexSql()} ${this.previousSql()}
      WHERE state.asset = ? AND state.listed = 1 AND state.modified_us > ? AND state.modified_us < ?
      ORDER BY state.modified_us ${newestFirst ? 'DESC' : 'ASC'} LIMIT ?`;
    return `SELECT 1 AS isNow, ${STATE}, state.owner, state.feed_us IS NOT NULL AS listed, ${PREVIOUS} FROM asset state ${this.previousSql()}
      WHERE state.id = ? UNION ALL ${this.database.dialect.sql.unionPart(past)}`;
  }

  /**
   * An asset as it was at an instant.
   * @param us in microseconds
   * @returns undefined where there is no such asset @throws ApiError 503 while the database is away, or the caller has gone
   */
  at(id: string, us: number, caller?: Requester): Promise<PastAsset | undefined> {
    return this.pastAtOnce.run(() => this.readAt(id, us), caller);
  }

  private async readAt(id: string, us: number): Promise<PastAsset | undefined> {
    const instant = BigInt(us);
    const read = (most: number): Promise<PastRow[]> =>
      this.database.read<PastRow>(this.atSql(most), [id, id, instant, id, instant]);
    let rows = await read(WHOLE_EVERY);
    if (needsMore(rows.filter(isEnded))) rows = await read(LARGE_WHOLE_EVERY);
    const now = rows.find(isPresent);
    return now && pastAsset(us, now, rows.filter(isEnded));
  }

  /**
   * The places of the feed that assets had at an instant and have left since. @param us in microseconds @throws ApiError 503 while the
   * database is away
   */
  async leftSince(us: number, { afterUs, beforeUs }: Pick<HistoryRange, 'afterUs' | 'beforeUs'>): Promise<LeftPlace[]> {
    const values = [us, afterUs, Math.min(beforeUs, us + 1)].map(BigInt);
    const rows = await this.database.read<LeftRow>(LEFT_SQL, values);
    return rows.map(({ id, modifiedUs, bytes }) => ({ id, modifiedUs: Number(modifiedUs), bytes: Number(bytes) }));
  }

  /** Selects the owner of the first later state that names one. A state without an owner, and with none later, is of an asset that nobody has taken over. */
  private nextOwnerSql(): string {
    return `SELECT later.owner FROM revision later ${this.byIndexSql()}
      WHERE later.asset = state.asset AND later.listed = 1 AND later.modified_us > state.modified_us AND later.owner IS NOT NULL
      ORDER BY later.modified_us LIMIT 1`;
  }

  /** The state at the instant, and later ones, as many as its body may have to be put together from. @param most states in all */
  private atSql(most: number): string {
    const { dialect } = this.database;
    const columns = (past: boolean): string =>
      READ_ASSETS.select((column) => {
        if (column === 'body') return dialect.sql.bytes('state.body');
        if (past && column === 'owner') return `COALESCE(state.owner, (${this.nextOwnerSql()}))`;
        return past && !CHANGING.has(column) ? 'NULL' : `state.${column}`;
      });
    const follows = 'state.version, previous.until_us IS NOT NULL AS follows';
    const past = (condition: string): string =>
      dialect.sql
        .unionPart(`SELECT 0, ${columns(true)}, ${follows}, state.listed, state.until_us, state.same_start, state.same_end, state.checksum
      FROM revision state ${this.byIndexSql()} ${this.previousSql()} WHERE state.asset = ? AND state.listed = 1 AND state.modified_us ${condition}`);
    return `SELECT 1 AS isNow, ${columns(false)}, ${follows}, state.feed_us IS NOT NULL AS listed, NULL AS untilUs, NULL AS sameStart, NULL AS sameEnd, NULL AS checksum
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

/** Whether the body of a state goes on in more rows: only that of a large one does. */
function needsMore(ended: readonly EndedStateRow[]): boolean {
  return ended.length === WHOLE_EVERY && !ended.some(isWhole);
}

/** @returns undefined where there is no such asset */
function toSnapshot(rows: readonly StateRow[], range: HistoryRange): HistorySnapshot | undefined {
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
