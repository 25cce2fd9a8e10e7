import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Database } from '../database.js';
import { FULL_BODY_INTERVAL } from './body-delta.js';
import type { StoredState } from './past-asset.js';
import { padded, placeholdersFor } from '../connections/session.js';

/** A past public state. Instants in microseconds. */
export interface PublicRevision {
  asset: string;
  modifiedUs: number;
  untilUs: number;
}

const ROWS_PER_STATEMENT = 1_000;
/** Larger deltas, which are rare, are left out. */
const MAX_DELTA_BYTES = 8 * 1024;

type Row = { asset: string; listed: number } & Record<'modifiedUs' | 'untilUs', unknown>;
type StoredRow = Omit<StoredState, 'modifiedUs' | 'untilUs'> & Record<'modifiedUs' | 'untilUs', unknown>;

/** Past public states in the order in which they ended. */
@Injectable()
export class RevisionFeed {
  constructor(private readonly database: Database) {}

  /** States that ended after an instant, page by page. @throws ApiError 503 while the database is away */
  async *after(us: number): AsyncGenerator<PublicRevision[]> {
    const sql = `SELECT asset, modified_us AS modifiedUs, until_us AS untilUs, listed FROM revision
      WHERE until_us > ? ORDER BY until_us LIMIT ?`;
    for (let lastUs = us; ;) {
      const rows = await this.database.read<Row>(sql, [lastUs, ROWS_PER_STATEMENT].map(BigInt));
      yield rows.filter(({ listed }) => listed === 1).map(toState);
      if (rows.length < ROWS_PER_STATEMENT) return;
      lastUs = Number(rows.at(-1)?.untilUs);
      // SQLite is synchronous: without this, other requests would wait for all pages.
      await nextTurn();
    }
  }

  /**
   * Stored states, the newest first, except those with a large delta or without an owner.
   * @param untilUs the instants at which they ended @throws ApiError 503
   */
  async storedStates(untilUs: readonly number[]): Promise<StoredState[]> {
    if (untilUs.length === 0) return [];
    const values = padded(untilUs).map(BigInt);
    const sql = `SELECT asset, modified_us AS modifiedUs, until_us AS untilUs, status, related_lot AS relatedLot, owner,
      ${this.database.dialect.sql.bytes('body')} AS body, same_start AS sameStart, same_end AS sameEnd, checksum FROM revision
      WHERE until_us IN (${placeholdersFor(values)}) AND owner IS NOT NULL AND OCTET_LENGTH(body) <= ${MAX_DELTA_BYTES} ORDER BY until_us DESC`;
    const rows = await this.database.read<StoredRow>(sql, values);
    return rows.map((row) => ({ ...row, modifiedUs: Number(row.modifiedUs), untilUs: Number(row.untilUs) }));
  }

  /**
   * Maps `modifiedUs` to `untilUs` for states, and for the later states of their assets that may be needed to restore their bodies.
   * @throws ApiError 503 while the database is away
   */
  async untilByModified(states: readonly Pick<PublicRevision, 'asset' | 'modifiedUs'>[]): Promise<Map<number, number>> {
    if (states.length === 0) return new Map();
    const { sql } = this.database.dialect;
    const part =
      sql.unionPart(`SELECT modified_us AS modifiedUs, until_us AS untilUs FROM revision ${sql.forceIndex('ix_revision_asset')}
      WHERE asset = ? AND listed = 1 AND modified_us >= ? ORDER BY modified_us LIMIT ${FULL_BODY_INTERVAL}`);
    const paddedStates = padded(states);
    const values = paddedStates.flatMap(({ asset, modifiedUs }) => [asset, BigInt(modifiedUs)]);
    const rows = await this.database.read<Pick<Row, 'modifiedUs' | 'untilUs'>>(
      paddedStates.map(() => part).join(' UNION ALL '),
      values,
    );
    return new Map(rows.map(({ modifiedUs, untilUs }) => [Number(modifiedUs), Number(untilUs)]));
  }

  /** Maps `modifiedUs` to the asset of states. @param untilUs the instants at which the states ended @throws ApiError 503 */
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
