import { setImmediate as turn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Database } from '../database.js';
import { WHOLE_EVERY } from './body-delta.js';
import type { StoredState } from './past-asset.js';
import { padded, placeholdersFor } from '../connections/session.js';

/** A public state that a change has ended. Instants in microseconds. */
export interface PublicRevision {
  asset: string;
  modifiedUs: number;
  untilUs: number;
}

/** Rows that are read by one statement. */
const AT_ONCE = 1_000;
/** What is kept of a body is mostly what a change has changed. */
const MAX_KEPT_BYTES = 8 * 1024;

type Row = { asset: string; listed: number } & Record<'modifiedUs' | 'untilUs', unknown>;
type KeptRow = Omit<StoredState, 'modifiedUs' | 'untilUs'> & Record<'modifiedUs' | 'untilUs', unknown>;

/** Which public states there were, in the order in which they ended. */
@Injectable()
export class RevisionFeed {
  constructor(private readonly database: Database) {}

  /** Those that ended after an instant, page by page. @throws ApiError 503 while the database is away */
  async *after(us: number): AsyncGenerator<PublicRevision[]> {
    const sql = `SELECT asset, modified_us AS modifiedUs, until_us AS untilUs, listed FROM revision
      WHERE until_us > ? ORDER BY until_us LIMIT ?`;
    for (let lastUs = us; ;) {
      const rows = await this.database.read<Row>(sql, [lastUs, AT_ONCE].map(BigInt));
      yield rows.filter(({ listed }) => listed === 1).map(toState);
      if (rows.length < AT_ONCE) return;
      lastUs = Number(rows.at(-1)?.untilUs);
      // SQLite answers within the call: without this, requests would wait for all pages.
      await turn();
    }
  }

  /**
   * What was kept of some, the newest first: without those of which much was kept, or that know no owner of their own.
   * @param untilUs the instants at which they ended @throws ApiError 503
   */
  async kept(untilUs: readonly number[]): Promise<StoredState[]> {
    if (untilUs.length === 0) return [];
    const values = padded(untilUs).map(BigInt);
    const sql = `SELECT asset, modified_us AS modifiedUs, until_us AS untilUs, status, related_lot AS relatedLot, owner,
      ${this.database.dialect.sql.bytes('body')} AS body, same_start AS sameStart, same_end AS sameEnd, checksum FROM revision
      WHERE until_us IN (${placeholdersFor(values)}) AND owner IS NOT NULL AND OCTET_LENGTH(body) <= ${MAX_KEPT_BYTES} ORDER BY until_us DESC`;
    const rows = await this.database.read<KeptRow>(sql, values);
    return rows.map((row) => ({ ...row, modifiedUs: Number(row.modifiedUs), untilUs: Number(row.untilUs) }));
  }

  /**
   * When some ended, and those that came next of their assets, as far as a body may have to be put together from them; by the instants at
   * which they began. @throws ApiError 503 while the database is away
   */
  async endsFrom(states: readonly Pick<PublicRevision, 'asset' | 'modifiedUs'>[]): Promise<Map<number, number>> {
    if (states.length === 0) return new Map();
    const { sql } = this.database.dialect;
    const part =
      sql.unionPart(`SELECT modified_us AS modifiedUs, until_us AS untilUs FROM revision ${sql.forceIndex('ix_revision_asset')}
      WHERE asset = ? AND listed = 1 AND modified_us >= ? ORDER BY modified_us LIMIT ${WHOLE_EVERY}`);
    const asked = padded(states);
    const values = asked.flatMap(({ asset, modifiedUs }) => [asset, BigInt(modifiedUs)]);
    const rows = await this.database.read<Pick<Row, 'modifiedUs' | 'untilUs'>>(
      asked.map(() => part).join(' UNION ALL '),
      values,
    );
    return new Map(rows.map(({ modifiedUs, untilUs }) => [Number(modifiedUs), Number(untilUs)]));
  }

  /** The assets of some, by the instants at which those began. @param untilUs the instants at which they ended @throws ApiError 503 */
  async assetsOf(untilUs: readonly number[]): Promise<Map<number, string>> {
    if (untilUs.length === 0) return new Map();
    const values = padded(untilUs).map(BigInt);
    const sql = `SELECT asset, modified_us AS modifiedUs FROM revision WHERE until_us IN (${placeholdersFor(values)})`;
    const rows = await this.database.read<Pick<Row, 'asset' | 'modifiedUs'>>(sql, values);
    return new Map(rows.map((row) => [Number(row.modifiedUs), row.asset]));
  }
}

function toState({ asset, modifiedUs, untilUs }: Row): PublicRevision {
  return { asset, modifiedUs: Number(modifiedUs), untilUs: Number(untilUs) };
}
