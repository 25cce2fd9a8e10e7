import { Injectable } from '@nestjs/common';
import { Database } from '../database.js';
import { LogEntry } from '../entities/log-entry.entity.js';
import { LogHead } from '../entities/log-head.entity.js';
import { EntityTable, type RowOf } from '../entity-table.js';

const ENTRIES = EntityTable.of(LogEntry);
const ENTRY = ENTRIES.select();
const SAID = ENTRIES.without('opening');
const HEADS = EntityTable.of(LogHead);
const HEAD_SQL = `SELECT ${HEADS.select()} FROM log_head WHERE id = 1`;

/** An instant that is told of the asset of an entry, and that no entry is of; in microseconds. */
export interface Unlogged {
  /** Of the entry. */
  place: number;
  us: number;
}

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
   * What is told beside entries from a place on and no entry is of: another instant of the asset's present state, which has one in the feed and
   * one of its own, or the public state that the asset's history has before that of the entry. @throws ApiError 503
   */
  async unlogged(from: number, count: number): Promise<Unlogged[]> {
    const before = `SELECT state.modified_us FROM revision state ${this.database.dialect.byIndexSql('ix_revision_asset')}
      WHERE state.asset = log_entry.asset AND state.listed = 1 AND state.modified_us < log_entry.modified_us ORDER BY state.modified_us DESC LIMIT 1`;
    const sql = `SELECT place, feed_us + asset.modified_us - log_entry.modified_us AS us FROM log_entry JOIN asset ON asset.id = log_entry.asset
      WHERE place >= ? AND place < ? AND feed_us <> asset.modified_us AND log_entry.modified_us IN (feed_us, asset.modified_us)
      UNION ALL SELECT told.place, us FROM (SELECT place, asset, (${before}) AS us FROM log_entry WHERE place >= ? AND place < ?) told
      LEFT JOIN log_entry known ON known.modified_us = us AND known.asset = told.asset WHERE us IS NOT NULL AND known.place IS NULL`;
    const range = [BigInt(from), BigInt(from + count)];
    const rows = await this.database.read<Record<'place' | 'us', unknown>>(sql, [...range, ...range]);
    return rows.map(({ place, us }) => ({ place: Number(place), us: Number(us) }));
  }

  /** The hashes of full tiles, in their order. @param level from 1 @throws ApiError 503 */
  async tileHashes(level: number, from: number, count: number): Promise<Buffer[]> {
    const sql = 'SELECT hash FROM log_node WHERE level = ? AND place >= ? AND place < ? ORDER BY place';
    const values = [level, from, from + count].map(BigInt);
    const rows = await this.database.read<{ hash: string }>(sql, values);
    return rows.map(({ hash }) => Buffer.from(hash, 'base64'));
  }
}
