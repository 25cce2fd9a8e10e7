import { Injectable } from '@nestjs/common';
import { type ReadAsset, READ_COLUMNS, type ReadRow, toReadAsset } from './asset-row.js';
import { Database } from './database.js';
import { Loader } from './loader.js';
import { padded } from './places.js';

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
  listed: boolean;
  /** The change that made it so; undefined for a creation, and where no revision tells of it. */
  change: { changed: readonly string[]; wasListed: boolean } | undefined;
  /** It was created so, and needs no change before it. */
  isFirst: boolean;
}

/** From one read view. */
export interface HistorySnapshot {
  now: HistoryState;
  /** The public states of the range, in its order, `now` among them. */
  states: HistoryState[];
}

/** A page of an asset's history, as it is asked for. */
interface HistoryPage {
  id: string;
  range: HistoryRange;
}

interface StateRow {
  page: number;
  is_now: number;
  version: number;
  modified_us: number | string;
  status: string;
  related_lot: string | null;
  listed: number;
  changed: string | null;
  was_listed: number | null;
}

/** A row of the asset as it is now, or of its newest revision that begins at the instant or before. */
type PastRow = ReadRow & { is_now: number; listed: number; until_us: number | string | null };

const PREVIOUS = 'previous.changed, previous.listed AS was_listed';
/** Both tables have it, under the name `state`; the change before is found by the key of its revision. */
const STATE = 'state.version, state.modified_us, state.status, state.related_lot';
const PREVIOUS_SQL = 'LEFT JOIN revision previous ON previous.until_us = state.modified_us';
/** These an asset keeps for ever, so that revisions have none. */
const KEPT: ReadonlySet<string> = new Set(['id', 'asset_id', 'asset_type', 'owner', 'created_us']);

/** Small pages: with several in one statement, the way to the server and back is shared. */
const LIMITS = { keys: 8, underWay: 2 };

/** Reads of what assets were. Each is one statement, and reads no more rows than it answers. */
@Injectable()
export class RevisionReader {
  private readonly oldestFirst = this.loaderOfPages();
  private readonly newestFirst = this.loaderOfPages();

  constructor(private readonly database: Database) {}

  /** @param id 32 lower-case hex characters @returns undefined where there is no such asset @throws ApiError 503 while the database is away */
  list(id: string, range: HistoryRange): Promise<HistorySnapshot | undefined> {
    return (range.newestFirst ? this.newestFirst : this.oldestFirst).load({ id, range });
  }

  private loaderOfPages(): Loader<HistoryPage, HistorySnapshot> {
    return new Loader((pages: readonly HistoryPage[]) => this.fetch(pages), LIMITS);
  }

  /** @param pages of the same direction */
  private async fetch(pages: readonly HistoryPage[]): Promise<Map<HistoryPage, HistorySnapshot>> {
    // There are few texts of statements; no asset has the id of those that nobody asked for.
    const asked = padded(pages).map((page, i) => (i < pages.length ? page : { ...page, id: '' }));
    const values = asked.flatMap(({ id, range: { afterUs, beforeUs, limit } }) => [
      id,
      id,
      ...[afterUs, beforeUs, limit].map(BigInt),
    ]);
    const rows = await this.database.read<StateRow>(this.pagesSql(asked), values);
    const snapshots = new Map<HistoryPage, HistorySnapshot>();
    pages.forEach((page, i) => {
      const snapshot = toSnapshot(
        rows.filter(({ page: number }) => number === i),
        page.range,
      );
      if (snapshot !== undefined) snapshots.set(page, snapshot);
    });
    return snapshots;
  }

  private pagesSql(pages: readonly HistoryPage[]): string {
    return pages.map(({ range }, i) => this.pageSql(i, range.newestFirst)).join(' UNION ALL ');
  }

  private pageSql(page: number, newestFirst: boolean): string {
    const past = `SELECT ${page}, 0 AS is_now, ${STATE}, state.listed, ${PREVIOUS} FROM revision state ${PREVIOUS_SQL}
      WHERE state.asset = ? AND state.listed = 1 AND state.modified_us > ? AND state.modified_us < ?
      ORDER BY state.modified_us ${newestFirst ? 'DESC' : 'ASC'} LIMIT ?`;
    return `SELECT ${page} AS page, 1 AS is_now, ${STATE}, state.feed_us IS NOT NULL AS listed, ${PREVIOUS} FROM asset state ${PREVIOUS_SQL}
      WHERE state.id = ? UNION ALL ${this.database.dialect.limitedPartSql(past)}`;
  }

  /**
   * An asset as it was at an instant, in microseconds, public or not.
   * @returns `exists` says whether there is such an asset at all; the body of `asset` is in `latin1` @throws ApiError 503
   */
  async at(id: string, us: number): Promise<{ exists: boolean; asset: ReadAsset | undefined; listed: boolean }> {
    const instant = BigInt(us);
    const rows = await this.database.read<PastRow>(this.atSql(), [instant, id, id, instant]);
    const row = rows.find(({ is_now, modified_us, until_us }) =>
      is_now === 1 ? Number(modified_us) <= us : Number(until_us) > us,
    );
    return {
      exists: rows.length > 0,
      asset: row === undefined ? undefined : toReadAsset(row),
      listed: row?.listed === 1,
    };
  }

  private atSql(): string {
    const { dialect } = this.database;
    const columns = (past: boolean): string =>
      READ_COLUMNS.map((column) => {
        if (column !== 'body') return past && !KEPT.has(column) ? `revision.${column}` : `asset.${column}`;
        const body = past ? 'revision.body' : 'CASE WHEN asset.modified_us <= ? THEN asset.body END';
        return `${dialect.bytesSql(body)} AS body`;
      }).join(', ');
    const past = `SELECT 0 AS is_now, ${columns(true)}, revision.listed, revision.until_us FROM asset JOIN revision ON revision.asset = asset.id
      WHERE asset.id = ? AND revision.listed = 1 AND revision.modified_us <= ? ORDER BY revision.modified_us DESC LIMIT 1`;
    return `SELECT 1 AS is_now, ${columns(false)}, asset.feed_us IS NOT NULL AS listed, NULL AS until_us FROM asset
      WHERE asset.id = ? UNION ALL ${dialect.limitedPartSql(past)}`;
  }
}

/** @param rows of one page @returns undefined where there is no such asset */
function toSnapshot(rows: readonly StateRow[], range: HistoryRange): HistorySnapshot | undefined {
  const row = rows.find(({ is_now }) => is_now === 1);
  if (row === undefined) return undefined;
  const now = toState(row);
  const states = rows.filter((other) => other !== row).map(toState);
  if (now.listed && now.modifiedUs > range.afterUs && now.modifiedUs < range.beforeUs) states.push(now);
  const direction = range.newestFirst ? -1 : 1;
  states.sort((a, b) => direction * (a.modifiedUs - b.modifiedUs));
  return { now, states: states.slice(0, range.limit) };
}

function toState(row: StateRow): HistoryState {
  const { version, modified_us, status, related_lot, listed, changed, was_listed } = row;
  return {
    modifiedUs: Number(modified_us),
    status,
    relatedLot: related_lot,
    listed: listed === 1,
    change: changed === null ? undefined : { changed: JSON.parse(changed) as string[], wasListed: was_listed === 1 },
    isFirst: version === 1,
  };
}
