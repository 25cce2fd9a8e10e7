import { setTimeout as sleep } from 'node:timers/promises';
import type Sqlite from 'embedded-sqlite';
import { TIME_BUDGETS_MS } from '../../../platform/config/time-budgets.js';
import { type DriverConnection, StatementError } from '../dialect.js';
import { isBusy } from '../error-code.js';
import { PreparedStatements } from './prepared-statements.js';

const PAUSE_MS = 20;

/**
 * The ledger's connection to the file. As on a server without autocommit, the first statement after a COMMIT or ROLLBACK begins a transaction;
 * here it is one that writes.
 */
export class SqliteLane implements DriverConnection {
  private readonly statements: PreparedStatements;
  /** Settles when the transaction that is being begun has begun, or cannot begin. */
  private beginning: Promise<void> | undefined;
  /** Whether no statement was run since the last COMMIT or ROLLBACK. */
  private isEmpty = true;

  /** @param handle the writing one; from now on only the lane uses it */
  constructor(
    private readonly handle: Sqlite.Database,
    private readonly busyMs: number = TIME_BUDGETS_MS.lockOfFile,
  ) {
    this.statements = new PreparedStatements(handle);
    // SQLite waits for a lock within the call, and the event loop with it. `begin` waits instead.
    handle.pragma('busy_timeout = 0');
  }

  async run(sql: string, values: readonly unknown[]): Promise<unknown> {
    if (sql === 'COMMIT' || sql === 'ROLLBACK') return this.end(sql);
    this.isEmpty = false;
    // Statements that are run together share one wait, and keep their order.
    if (!this.handle.inTransaction)
      this.beginning ??= this.begin().finally(() => {
        this.beginning = undefined;
      });
    await this.beginning;
    return this.runNow(sql, values);
  }

  get isOpen(): boolean {
    return this.handle.open;
  }

  /** Rolls back what is open. The connection stays. */
  release(): void {
    if (this.handle.inTransaction) this.handle.exec('ROLLBACK');
  }

  destroy(): void {
    this.release();
  }

  /** @throws StatementError, SQLITE_BUSY where another process holds the file for too long */
  private async begin(): Promise<void> {
    const latestMs = performance.now() + this.busyMs;
    for (;;) {
      try {
        this.runNow('BEGIN IMMEDIATE');
        return;
      } catch (error) {
        if (!isBusy(error) || performance.now() >= latestMs) throw error;
        await sleep(PAUSE_MS);
      }
    }
  }

  /** A COMMIT without a transaction fails, unless there was nothing to commit: the caller's changes are not there. */
  private end(sql: 'COMMIT' | 'ROLLBACK'): unknown {
    if (!this.handle.inTransaction && (sql === 'ROLLBACK' || this.isEmpty)) {
      this.isEmpty = true;
      return {};
    }
    const result = this.runNow(sql);
    this.isEmpty = true;
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
