import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { logger } from '../../platform/logging/logger.js';
import { within } from './deadline.js';
import { DatabaseUnusableError, type Dialect, type Failure, overwriteSql } from '../dialects/dialect.js';
import { codeOf, isDenied } from '../dialects/error-code.js';
import { type History, readHistory } from '../repositories/feed-history.js';
import type { Session } from './session.js';

/** Between two renewals. */
export const RENEWAL_MS = 5_000;
/** Shutdown waits no longer for the row's removal: a row that is not renewed expires. */
const MAX_END_MS = 1_000;
const DAY_US = 86_400_000_000;
const MAX_HOST_LENGTH = 255;

/** Runs work with a session of the writing side. */
export type WithSession = <T>(work: (session: Session) => Promise<T>) => Promise<T>;

/**
 * A row that shows commands that this process serves a server's database. Connections and locks would not do: other nodes of a cluster don't
 * see them.
 */
export class Lease {
  private readonly id = randomBytes(16).toString('hex');
  private readonly host = hostname().slice(0, MAX_HOST_LENGTH);
  private timer: NodeJS.Timeout | undefined;
  private renewing: Promise<void> = Promise.resolve();
  private hasFailed = false;
  private ended = false;

  /**
   * @param judge classifies errors of writes, and logs outages
   * @param onHistory called with the history after each renewal; a restore marks the history before it reads the leases
   */
  constructor(
    private readonly dialect: Dialect,
    private readonly withSession: WithSession,
    private readonly judge: (error: unknown) => Failure,
    private readonly onHistory: (history: History) => void,
  ) {}

  /**
   * Call before the history is read for the first time. If the database refuses writes, the service serves reads without a lease until it
   * accepts them.
   * @throws DatabaseUnusableError if the user may not write the table, the driver's error if the database is down
   */
  async acquire(): Promise<void> {
    try {
      await this.withSession(async (session) => {
        await this.write(session);
        // Left by processes that were killed.
        await session.execute(`DELETE FROM service_lease WHERE renewed_us < ${this.dialect.sql.clock} - ?`, [
          BigInt(DAY_US),
        ]);
      });
    } catch (error) {
      if (isDenied(error))
        throw new DatabaseUnusableError(
          'The user of DATABASE_URL may not write service_lease: docs/operations/database.md, "Users of the database"',
          { cause: error },
        );
      if (!['refused', 'retry'].includes(this.judge(error))) throw error;
    }
  }

  /** Starts renewing periodically. @param isReachable whether the database can be reached */
  startRenewing(isReachable: () => boolean): void {
    this.timer ??= setInterval(() => {
      if (isReachable()) this.renewing = this.renew();
    }, RENEWAL_MS).unref();
  }

  /** Renews the row, or inserts it again. Never throws. */
  async renew(): Promise<void> {
    if (this.ended) return;
    try {
      await this.withSession((session) => this.write(session));
      this.hasFailed = false;
    } catch (error) {
      this.failed(error);
    }
    // Lease first, history second: either a restore sees the lease, or this sees its mark, even while the database refuses writes.
    try {
      this.onHistory(await this.withSession(readHistory));
    } catch (error) {
      this.failed(error);
    }
  }

  async end(): Promise<void> {
    this.ended = true;
    clearInterval(this.timer);
    const deleteRow = async (): Promise<void> => {
      await this.renewing;
      await this.withSession((session) => session.execute('DELETE FROM service_lease WHERE id = ?', [this.id]));
    };
    await within(MAX_END_MS, deleteRow(), () => undefined).catch(() => undefined);
  }

  private async write(session: Session): Promise<void> {
    const { sql } = this.dialect;
    await session.execute(
      `INSERT INTO service_lease (id, host, pid, since_us, renewed_us) VALUES (?, ?, ?, ${sql.clock}, ${sql.clock})
       ${overwriteSql(sql, ['renewed_us'])}`,
      [this.id, this.host, BigInt(process.pid)],
    );
  }

  /** Logs only the first of several failures. */
  private failed(error: unknown): void {
    if (this.judge(error) !== 'defect') return;
    if (!this.hasFailed)
      logger.warn({ reason: codeOf(error) }, 'the lease of this service cannot be renewed: a restore may not see it');
    this.hasFailed = true;
  }
}
