import { setImmediate as turn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Database } from '../database.js';
import { padded, placeholdersFor } from '../connections/session.js';

/** A public state that a change has ended. Instants in microseconds. */
export interface PublicRevision {
  asset: string;
  modifiedUs: number;
  untilUs: number;
}

/** Rows that are read by one statement. */
const AT_ONCE = 1_000;
type Row = { asset: string; listed: number } & Record<'modifiedUs' | 'untilUs', unknown>;

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
