import type { DataSource, EntityManager } from 'typeorm';
import { restoreBody } from '../../src/database/readers/body-delta.js';
import { retryWhileLocked } from './retry-while-locked.js';

/** A row as the driver returns it. */
export type Row = Record<string, unknown>;

const TABLES = ['asset', 'revision', 'log_entry', 'log_head'];

/** A registry's database, tampered with by an operator who knows its schema. */
export class TamperedDatabase {
  private readonly before = new Map<string, Row[]>();

  /** @param earlier an earlier checkpoint, and the number of states in the log at that time */
  private constructor(
    private readonly database: DataSource,
    readonly earlier: { size: number; note: string },
  ) {}

  static async take(database: DataSource, earlier: { size: number; note: string }): Promise<TamperedDatabase> {
    const taken = new TamperedDatabase(database, earlier);
    await taken.storeWholeBodies();
    for (const table of TABLES) taken.before.set(table, await taken.run(`SELECT * FROM ${table}`));
    return taken;
  }

  run(sql: string, values: unknown[] = []): Promise<Row[]> {
    return retryWhileLocked(() => this.database.query(sql, values));
  }

  /** Restores the rows saved by `take`. */
  restore(): Promise<void> {
    return retryWhileLocked(() => this.database.transaction((manager) => this.restoreBy(manager)));
  }

  private async restoreBy(manager: EntityManager): Promise<void> {
    for (const [table, rows] of this.before) {
      await manager.query(`DELETE FROM ${table}`);
      for (const row of rows) {
        const placeholders = Object.keys(row).map(() => '?');
        const sql = `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${placeholders.join(', ')})`;
        await manager.query(sql, Object.values(row));
      }
    }
  }

  /** Superseded public states, oldest first. */
  revisions(): Promise<Row[]> {
    return this.run('SELECT * FROM revision WHERE listed = 1 ORDER BY modified_us');
  }

  async placeOf(modifiedUs: unknown): Promise<number> {
    const [row] = await this.run('SELECT place FROM log_entry WHERE modified_us = ?', [modifiedUs]);
    return Number(row?.['place']);
  }

  rewrite(untilUs: unknown, body: unknown, checksum: unknown): Promise<Row[]> {
    return this.run('UPDATE revision SET body = ?, checksum = ? WHERE until_us = ?', [body, checksum, untilUs]);
  }

  /**
   * Stores each revision's whole body instead of a difference, so that one can be changed without changing earlier ones. Readers see no difference.
   */
  private async storeWholeBodies(): Promise<void> {
    for (const { id, body } of await this.run('SELECT id, body FROM asset')) {
      let after: Buffer = Buffer.from(String(body));
      const sql = 'SELECT * FROM revision WHERE asset = ? ORDER BY until_us DESC';
      for (const row of await this.run(sql, [id])) {
        const [sameStart, sameEnd] = [Number(row['same_start']), Number(row['same_end'])];
        const original = { body: Buffer.from(String(row['body'])), sameStart, sameEnd };
        after = sameStart + sameEnd === 0 ? original.body : restoreBody(original, after);
        const whole = 'UPDATE revision SET body = ?, same_start = 0, same_end = 0 WHERE until_us = ?';
        await this.run(whole, [after.toString(), row['until_us']]);
      }
    }
  }
}
