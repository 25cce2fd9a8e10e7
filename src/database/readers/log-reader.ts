import { Injectable } from '@nestjs/common';
import { Database } from '../database.js';
import { LogEntry } from '../entities/log-entry.entity.js';
import { LogHead } from '../entities/log-head.entity.js';
import { EntityTable, type RowOf } from '../entities/entity-table.js';
import { padded, placeholdersFor } from '../connections/session.js';

const ENTRIES = EntityTable.of(LogEntry);
const WITHOUT_OPENINGS = ENTRIES.without('opening');
const HEADS = EntityTable.of(LogHead);
const HEAD_SQL = `SELECT ${HEADS.select()}, (SELECT epoch FROM feed_clock WHERE id = 1) AS epoch FROM log_head WHERE id = 1`;

const BEFORE = 'modified_us < ? ORDER BY modified_us DESC';
/** The version of the asset's state that began at an instant. */
const VERSION_AT = `COALESCE(
  (SELECT later.version FROM revision later WHERE later.asset = revision.asset AND later.listed = 1 AND later.modified_us = ? LIMIT 1),
  (SELECT asset.version FROM asset WHERE asset.id = revision.asset AND asset.modified_us = ?))`;
/**
 * The end of the state before an instant if it should have ended then, otherwise its begin. A gap in versions is no fault: old releases
 * skipped some.
 */
const SUSPECT_INSTANT = `CASE WHEN until_us > ? OR (until_us < ? AND version + 1 = ${VERSION_AT}) THEN until_us ELSE modified_us END`;
const AFTER_PRESENT =
  'modified_us >= ? AND EXISTS (SELECT 1 FROM asset WHERE id = revision.asset AND asset.modified_us = ?) ORDER BY modified_us';

/** An instant of a state of an entry's asset that has no log entry; in microseconds. */
export interface UnloggedInstant {
  /** Index of the log entry. */
  place: number;
  us: number;
}

/** The log's head, and the feed's epoch from the same read view. */
export interface ReadHead extends LogHead {
  epoch: string;
}

@Injectable()
export class LogReader {
  constructor(private readonly database: Database) {}

  /** @throws ApiError 503 while the database is away */
  async head(): Promise<ReadHead> {
    const [row] = await this.database.read<RowOf<LogHead> & { epoch: string }>(HEAD_SQL);
    const { epoch, ...head } = row as RowOf<LogHead> & { epoch: string };
    return Object.assign(HEADS.toEntity(head), { epoch });
  }

  /** Entries from an index on, in order. @throws ApiError 503 */
  entries(from: number, count: number): Promise<LogEntry[]> {
    return this.read(ENTRIES, from, count);
  }

  /** Entries without openings, which may be large after erasures. @throws ApiError 503 */
  entriesWithoutOpenings(from: number, count: number): Promise<Omit<LogEntry, 'opening'>[]> {
    return this.read(WITHOUT_OPENINGS, from, count);
  }

  private async read<Entry>(entries: EntityTable<Entry>, from: number, count: number): Promise<Entry[]> {
    const sql = `SELECT ${entries.select()} FROM log_entry WHERE place >= ? AND place < ? ORDER BY place`;
    const rows = await this.database.read<RowOf<Entry>>(sql, [from, from + count].map(BigInt));
    return rows.map((row) => entries.toEntity(row));
  }

  /** The entry of the state that began at an instant, in microseconds. @throws ApiError 503 */
  async entryAt(modifiedUs: number): Promise<LogEntry | undefined> {
    const sql = `SELECT ${ENTRIES.select()} FROM log_entry WHERE modified_us = ?`;
    const [row] = await this.database.read<RowOf<LogEntry>>(sql, [BigInt(modifiedUs)]);
    return row && ENTRIES.toEntity(row);
  }

  /**
   * Finds inconsistencies next to entries: instants without a log entry. They are the other one of a current state's two instants (feed,
   * last change) if these differ; the begin, or the end, of the public state before the entry's; a second state at the entry's instant; and
   * a past state that begins at or after the current state.
   * @throws ApiError 503
   */
  async unlogged(entries: readonly LogEntry[]): Promise<UnloggedInstant[]> {
    if (entries.length === 0) return [];
    const paddedEntries = padded(entries);
    const isGivenEntry = `place IN (${placeholdersFor(paddedEntries)})`;
    const present = `SELECT place, CASE feed_us WHEN log_entry.modified_us THEN asset.modified_us ELSE feed_us END AS us
      FROM log_entry JOIN asset ON asset.id = log_entry.asset
      WHERE ${isGivenEntry} AND feed_us <> asset.modified_us AND log_entry.modified_us IN (feed_us, asset.modified_us)`;
    const duplicates = `SELECT place, log_entry.modified_us FROM log_entry JOIN revision ${this.forceIndexSql()}
      ON revision.asset = log_entry.asset AND listed = 1 AND revision.modified_us = log_entry.modified_us
      WHERE ${isGivenEntry} GROUP BY place, log_entry.modified_us HAVING COUNT(*) > 1`;
    const past = paddedEntries.map(
      () =>
        `${this.pastInstantSql(SUSPECT_INSTANT, BEFORE)} UNION ALL ${this.pastInstantSql('modified_us', AFTER_PRESENT)}`,
    );
    const sql = `${present} UNION ${duplicates} UNION SELECT past.place, us FROM (${past.join(' UNION ALL ')}) past
      LEFT JOIN log_entry known ON known.modified_us = us AND known.asset = past.asset AND known.place <> past.place WHERE known.place IS NULL`;
    const places = paddedEntries.map(({ place }) => BigInt(place));
    const values = paddedEntries.flatMap(({ place, asset, modifiedUs }) => {
      const [at, us] = [BigInt(place), BigInt(modifiedUs)];
      return [at, us, us, us, us, asset, us, at, asset, us, us];
    });
    const rows = await this.database.read<Record<'place' | 'us', unknown>>(sql, [...places, ...places, ...values]);
    return rows.map(({ place, us }) => ({ place: Number(place), us: Number(us) }));
  }

  /** Selects an instant of one past public state. With constants for each entry, because MariaDB would otherwise read all states of an asset. */
  private pastInstantSql(us: string, where: string): string {
    return this.database.dialect.sql.unionPart(
      `SELECT ? AS place, asset, ${us} AS us FROM revision ${this.forceIndexSql()} WHERE asset = ? AND listed = 1 AND ${where} LIMIT 1`,
    );
  }

  private forceIndexSql(): string {
    return this.database.dialect.sql.forceIndex('ix_revision_asset');
  }

  /** The hashes of full tiles, in order. @param level from 1 @throws ApiError 503 */
  async tileHashes(level: number, from: number, count: number): Promise<Buffer[]> {
    const sql = 'SELECT hash FROM log_node WHERE level = ? AND place >= ? AND place < ? ORDER BY place';
    const values = [level, from, from + count].map(BigInt);
    const rows = await this.database.read<{ hash: string }>(sql, values);
    return rows.map(({ hash }) => Buffer.from(hash, 'base64'));
  }
}
