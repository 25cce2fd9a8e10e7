import mysql, { type PoolConnection } from 'mysql2';
import type { DataSource } from 'typeorm';
import { StatementError } from '../../statement-error.js';
import type { DriverConnection } from '../dialect.js';
import { numberOf } from '../error-code.js';

/** The driver looks it up in its files whenever it is asked for. */
const { BIGINT } = mysql.TypedParameter;
/** The server keeps no more prepared statements: all of its clients share one limit. */
const TOO_MANY_PREPARED = 1461;
/** The server does not know a prepared statement any more, or cannot prepare it anew by itself. */
const FORGOTTEN = new Set([1243, 1615]);

/** One for each connection of a pool, which hands them out again and again. */
const known = new WeakMap<PoolConnection, MysqlConnection>();

/** A connection of mysql2's pool, which TypeORM has opened. */
export class MysqlConnection implements DriverConnection {
  /** @param prepares whether statements with values are kept prepared: right for few texts that come often */
  private constructor(
    private readonly connection: PoolConnection,
    private readonly prepares: boolean,
  ) {}

  static async acquire(dataSource: DataSource, prepares: boolean): Promise<MysqlConnection> {
    const driver = dataSource.driver as unknown as { obtainMasterConnection(): Promise<PoolConnection> };
    const connection = await driver.obtainMasterConnection();
    const taken = known.get(connection) ?? new MysqlConnection(connection, prepares);
    known.set(connection, taken);
    return taken;
  }

  /** Without values there is nothing to bind, and servers prepare only some of such statements (not START TRANSACTION). */
  async run(sql: string, values: readonly unknown[]): Promise<unknown> {
    if (!this.prepares || values.length === 0) return this.runAsText(sql, values);
    try {
      return await this.runPrepared(sql, values);
    } catch (error) {
      const number = numberOf(error) ?? 0;
      if (number === TOO_MANY_PREPARED) return this.runAsText(sql, values);
      if (FORGOTTEN.has(number)) this.connection.unprepare(sql);
      throw error;
    }
  }

  private runPrepared(sql: string, values: readonly unknown[]): Promise<unknown> {
    const bound = values.map((value) => (typeof value === 'bigint' ? BIGINT(value) : value));
    return new Promise((resolve, reject) => {
      this.connection.execute(sql, bound as never[], settle(resolve, reject));
    });
  }

  private runAsText(sql: string, values: readonly unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.connection.query(sql, [...values], settle(resolve, reject));
    });
  }

  get isOpen(): boolean {
    return this.connection.state === 'authenticated';
  }

  release(): void {
    this.connection.release();
  }

  destroy(): void {
    this.connection.destroy();
  }
}

function settle(resolve: (result: unknown) => void, reject: (reason: Error) => void) {
  return (error: Error | null, result: unknown): void => {
    if (error) reject(new StatementError(error));
    else resolve(result);
  };
}
