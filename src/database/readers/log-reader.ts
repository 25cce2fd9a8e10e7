import { Injectable } from '@nestjs/common';
import { Database } from '../database.js';
import { LogEntry } from '../entities/log-entry.entity.js';
import { LogHead } from '../entities/log-head.entity.js';
import { EntityTable, type RowOf } from '../entities/entity-table.js';
import { padded, placeholdersFor } from '../connections/session.js';

const ENTRIES = EntityTable.of(LogEntry);
const SAID = ENTRIES.without('opening');
const HEADS = EntityTable.of(LogHead);
const HEAD_SQL = `SELECT ${HEADS.select()}, (SELECT epoch FROM feed_clock WHERE id = 1) AS epoch FROM log_head WHERE id = 1`;

const BEFORE = 'modified_us < ? ORDER BY modified_us DESC';
/** The number of the state that began at an instant, in the history of an asset. */
const VERSION_THEN = `COALESCE(
  (SELECT later.version FROM revision later WHERE later.asset = revision.asset AND later.listed = 1 AND later.modified_us = ? LIMIT 1),
  (SELECT asset.version FROM asset WHERE asset.id = revision.asset AND asset.modified_us = ?))`;
/** Of the state before an instant: where it ended, if it ought to have ended then. Between the two an older version of the registry may have kept none. */
const ENDED_ELSEWHERE = `CASE WHEN until_us > ? OR (until_us < ? AND version + 1 = ${VERSION_THEN}) THEN until_us ELSE modified_us END`;
const BEHIND_PRESENT =
  'modified_us >= ? AND EXISTS (SELECT 1 FROM asset WHERE id = revision.asset AND asset.modified_us = ?) ORDER BY modified_us';

/** An instant that is told of the asset of an entry, and that no entry is of; in microseconds. */
export interface Unlogged {
  /** Of the entry. */
  place: number;
  us: number;
}

/** The log's head, and the feed's epoch as it was at the same moment. */
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

  /** Entries from a place on, in their order. @throws ApiError 503 */
  entries(from: number, count: number): Promise<LogEntry[]> {
    return this.read(ENTRIES, from, count);
  }

  /** What entries say, without what opens them: that may be large where much was erased. @throws ApiError 503 */
  said(from: number, count: number): Promise<Omit<LogEntry, 'opening'>[]> {
    return this.read(SAID, from, count);
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
   * What is told beside entries, and no entry is of: another instant of an asset's present state, which has one in the feed and one of its own;
   * when the public state that the history has before that of the entry began, or ended; a second state of the entry's own instant; and one
   * behind the present state. @throws ApiError 503
   */
  async unlogged(entries: readonly LogEntry[]): Promise<Unlogged[]> {
    if (entries.length === 0) return [];
    const asked = padded(entries);
    const these = `place IN (${placeholdersFor(asked)})`;
    const present = `SELECT place, CASE feed_us WHEN log_entry.modified_us THEN asset.modified_us ELSE feed_us END AS us
      FROM log_entry JOIN asset ON asset.id = log_entry.asset
      WHERE ${these} AND feed_us <> asset.modified_us AND log_entry.modified_us IN (feed_us, asset.modified_us)`;
    const twice = `SELECT place, log_entry.modified_us FROM log_entry JOIN revision ${this.byIndexSql()}
      ON revision.asset = log_entry.asset AND listed = 1 AND revision.modified_us = log_entry.modified_us
      WHERE ${these} GROUP BY place, log_entry.modified_us HAVING COUNT(*) > 1`;
    const past = asked.map(
      () => `${this.besideSql(ENDED_ELSEWHERE, BEFORE)} UNION ALL ${this.besideSql('modified_us', BEHIND_PRESENT)}`,
    );
    const sql = `${present} UNION ${twice} UNION SELECT told.place, us FROM (${past.join(' UNION ALL ')}) told
      LEFT JOIN log_entry known ON known.modified_us = us AND known.asset = told.asset AND known.place <> told.place WHERE known.place IS NULL`;
    const places = asked.map(({ place }) => BigInt(place));
    const values = asked.flatMap(({ place, asset, modifiedUs }) => {
      const [at, us] = [BigInt(place), BigInt(modifiedUs)];
      return [at, us, us, us, us, asset, us, at, asset, us, us];
    });
    const rows = await this.database.read<Record<'place' | 'us', unknown>>(sql, [...places, ...places, ...values]);
    return rows.map(({ place, us }) => ({ place: Number(place), us: Number(us) }));
  }

  /** An instant of one public state of the past. Each entry has its constants: else MariaDB goes through all states of an asset. */
  private besideSql(us: string, where: string): string {
    return this.database.dialect.sql.unionPart(
      `SELECT ? AS place, asset, ${us} AS us FROM revision ${this.byIndexSql()} WHERE asset = ? AND listed = 1 AND ${where} LIMIT 1`,
    );
  }

  private byIndexSql(): string {
    return this.database.dialect.sql.forceIndex('ix_revision_asset');
  }

  /** The hashes of full tiles, in their order. @param level from 1 @throws ApiError 503 */
  async tileHashes(level: number, from: number, count: number): Promise<Buffer[]> {
    const sql = 'SELECT hash FROM log_node WHERE level = ? AND place >= ? AND place < ? ORDER BY place';
    const values = [level, from, from + count].map(BigInt);
    const rows = await this.database.read<{ hash: string }>(sql, values);
    return rows.map(({ hash }) => Buffer.from(hash, 'base64'));
  }
}
