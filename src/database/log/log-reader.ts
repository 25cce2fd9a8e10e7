import { Injectable } from '@nestjs/common';
import { Database } from '../database.js';
import { LogEntry } from '../entities/log-entry.entity.js';
import { LogHead } from '../entities/log-head.entity.js';
import { EntityTable, type RowOf } from '../entity-table.js';
import { padded } from '../session.js';

const ENTRIES = EntityTable.of(LogEntry);
const ENTRY = ENTRIES.select();
const SAID = ENTRIES.without('opening');
const HEADS = EntityTable.of(LogHead);
const HEAD_SQL = `SELECT ${HEADS.select()} FROM log_head WHERE id = 1`;

/** What an entry is of: a public state of an asset. */
type LoggedAsset = Pick<LogEntry, 'asset' | 'modifiedUs'>;

/** Reads of the log's tables. */
@Injectable()
export class LogReader {
  constructor(private readonly database: Database) {}

  /** @throws ApiError 503 while the database is away */
  async head(): Promise<LogHead> {
    const [row] = await this.database.read<RowOf<LogHead>>(HEAD_SQL);
    return HEADS.toEntity(row as RowOf<LogHead>);
  }

  /** Entries from a place on, in their order. @throws ApiError 503 */
  async entries(from: number, count: number): Promise<LogEntry[]> {
    const sql = `SELECT ${ENTRY} FROM log_entry WHERE place >= ? AND place < ? ORDER BY place`;
    const rows = await this.database.read<RowOf<LogEntry>>(sql, [BigInt(from), BigInt(from + count)]);
    return rows.map((row) => ENTRIES.toEntity(row));
  }

  /** What entries say, without what opens them: that may be large where much was erased. @throws ApiError 503 */
  async said(from: number, count: number): Promise<Omit<LogEntry, 'opening'>[]> {
    const sql = `SELECT ${SAID.select()} FROM log_entry WHERE place >= ? AND place < ? ORDER BY place`;
    const rows = await this.database.read<Omit<RowOf<LogEntry>, 'opening'>>(sql, [BigInt(from), BigInt(from + count)]);
    return rows.map((row) => SAID.toEntity(row));
  }

  /** The entry of the state that began at an instant, in microseconds. @throws ApiError 503 */
  async entryAt(modifiedUs: number): Promise<LogEntry | undefined> {
    const sql = `SELECT ${ENTRY} FROM log_entry WHERE modified_us = ?`;
    const [row] = await this.database.read<RowOf<LogEntry>>(sql, [BigInt(modifiedUs)]);
    return row && ENTRIES.toEntity(row);
  }

  /**
   * What is told beside some entries that no entry is of: another instant of the asset's present state, which has one in the feed and one of
   * its own, or the public state that the asset's history has before that of the entry.
   * @returns these instants in microseconds, by the instants of the entries @throws ApiError 503
   */
  async toldBeside(entries: readonly LoggedAsset[]): Promise<Map<number, number>> {
    if (entries.length === 0) return new Map();
    const asked = padded(entries);
    const values = asked.flatMap(({ asset, modifiedUs }) => {
      const us = BigInt(modifiedUs);
      return [us, asset, us, us, asset, us];
    });
    const sql = asked.map((_, i) => this.besideSql(i)).join(' UNION ALL ');
    const rows = await this.database.read<{ nth: number; us: number | string }>(sql, values);
    return new Map(rows.map(({ nth, us }) => [(asked[nth] as LoggedAsset).modifiedUs, Number(us)]));
  }

  private besideSql(nth: number): string {
    return `SELECT ${nth} AS nth, feed_us + modified_us - ? AS us FROM asset WHERE id = ? AND feed_us <> modified_us AND (feed_us = ? OR modified_us = ?)
      UNION ALL SELECT ${nth}, told.modified_us FROM (SELECT asset, modified_us FROM revision ${this.database.dialect.byIndexSql('ix_revision_asset')}
      WHERE asset = ? AND listed = 1 AND modified_us < ? ORDER BY modified_us DESC LIMIT 1) told
      WHERE NOT EXISTS (SELECT 1 FROM log_entry WHERE log_entry.modified_us = told.modified_us AND log_entry.asset = told.asset)`;
  }

  /** The hashes of full tiles, in their order. @param level from 1 @throws ApiError 503 */
  async tileHashes(level: number, from: number, count: number): Promise<Buffer[]> {
    const sql = 'SELECT hash FROM log_node WHERE level = ? AND place >= ? AND place < ? ORDER BY place';
    const values = [level, from, from + count].map(BigInt);
    const rows = await this.database.read<{ hash: string }>(sql, values);
    return rows.map(({ hash }) => Buffer.from(hash, 'base64'));
  }
}
