import { setTimeout as sleep } from 'node:timers/promises';
import type Sqlite from 'embedded-sqlite';
import { TIME_BUDGETS_MS } from '../../../platform/config/time-budgets.js';
import { type DriverConnection, StatementError } from '../dialect.js';
import { isBusy } from '../error-code.js';
import { PreparedStatements } from './prepared-statements.js';

const PAUSE_MS = 20;

/**
 * The ledger's connection to the file. Like a server without autocommit, it begins a transaction with the first statement after a COMMIT or
 * ROLLBACK, here always a write transaction.
 */
export class SqliteLane implements DriverConnection {
  private readonly statements: PreparedStatements;
  /** Settles when the transaction has begun, or could not begin. */
  private beginning: Promise<void> | undefined;
  /** No statement has run since the last COMMIT or ROLLBACK. */
  private isTransactionEmpty = true;

  /** @param connection used only by the lane from now on */
  constructor(
    private readonly connection: Sqlite.Database,
    private readonly busyMs: number = TIME_BUDGETS_MS.fileLock,
  ) {
    this.statements = new PreparedStatements(connection);
    // SQLite would wait for a lock within the call and block the event loop; `begin` waits instead.
    connection.pragma('busy_timeout = 0');
  }

  async run(sql: string, values: readonly unknown[]): Promise<unknown> {
    if (sql === 'COMMIT' || sql === 'ROLLBACK') return this.end(sql);
    this.isTransactionEmpty = false;
    // Concurrent statements share one wait, and keep their order.
    if (!this.connection.inTransaction)
      this.beginning ??= this.begin().finally(() => {
        this.beginning = undefined;
      });
    await this.beginning;
    return this.runNow(sql, values);
  }

  get isOpen(): boolean {
    return this.connection.open;
  }

  /** Rolls back an open transaction. The connection stays open. */
  release(): void {
    if (this.connection.inTransaction) this.connection.exec('ROLLBACK');
  }

  destroy(): void {
    this.release();
  }

  /** @throws StatementError, SQLITE_BUSY if another process keeps the file locked for too long */
  private async begin(): Promise<void> {
    const deadlineMs = performance.now() + this.busyMs;
    for (;;) {
      try {
        this.runNow('BEGIN IMMEDIATE');
        return;
      } catch (error) {
        if (!isBusy(error) || performance.now() >= deadlineMs) throw error;
        await sleep(PAUSE_MS);
      }
    }
  }

  /** Fails a COMMIT if statements have run but there is no transaction: SQLite has rolled them back. */
  private end(sql: 'COMMIT' | 'ROLLBACK'): unknown {
    if (!this.connection.inTransaction && (sql === 'ROLLBACK' || this.isTransactionEmpty)) {
      this.isTransactionEmpty = true;
      return {};
    }
    const result = this.runNow(sql);
    this.isTransactionEmpty = true;
    return result;
  }

  private runNow(sql: string, values: readonly unknown[] = []): unknown {
    try {
      return this.statements.run(sql, values);
    } catch (error) {
      throw new StatementError(error as Error);
    }
  }
}
