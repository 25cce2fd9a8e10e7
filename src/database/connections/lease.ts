import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { logger } from '../../platform/logging/logger.js';
import { within } from './deadline.js';
import { DatabaseUnusableError, type Dialect, type Failure, overwriteSql } from '../dialects/dialect.js';
import { codeOf, isDenied } from '../dialects/error-code.js';
import { type History, readHistory } from '../repositories/feed-history.js';
import type { Session } from './session.js';

/** How often a process that serves says that it is there. */
export const RENEWAL_MS = 5_000;
/** The end of the process waits no longer than that: a row that stays is over by itself. */
const END_MS = 1_000;
const DAY_US = 86_400_000_000;
const LONGEST_HOST = 255;

/** Does a piece of work with a session of the writing side. */
export type WithSession = <T>(work: (session: Session) => Promise<T>) => Promise<T>;

/**
 * That this process serves a server's database, as a row that every user of the database sees; also on other nodes of its cluster, where
 * neither connections nor locks are seen.
 */
export class Lease {
  private readonly id = randomBytes(16).toString('hex');
  private readonly host = hostname().slice(0, LONGEST_HOST);
  private timer: NodeJS.Timeout | undefined;
  private renewing: Promise<void> = Promise.resolve();
  private hasFailed = false;
  private ended = false;

  /**
   * @param judge of an error of a write; what befalls the database is known by it, and told in the log
   * @param follow is told the history after each renewal: who replaces it has marked it before looking for leases
   */
  constructor(
    private readonly dialect: Dialect,
    private readonly withSession: WithSession,
    private readonly judge: (error: unknown) => Failure,
    private readonly follow: (history: History) => void,
  ) {}

  /**
   * Before the history is read for the first time. Where the database takes no writes, reads are served without a lease until it does.
   * @throws DatabaseUnusableError without the right to it, the driver's error when the database is away
   */
  async acquire(): Promise<void> {
    try {
      await this.withSession(async (session) => {
        await this.write(session);
        // What processes that were killed long ago have left.
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

  /** Renews it every few seconds from now on. @param isReachable whether the database can be asked */
  keep(isReachable: () => boolean): void {
    this.timer ??= setInterval(() => {
      if (isReachable()) this.renewing = this.renew();
    }, RENEWAL_MS).unref();
  }

  /** Takes it again where it was lost. It never fails. */
  async renew(): Promise<void> {
    if (this.ended) return;
    try {
      await this.withSession((session) => this.write(session));
      this.hasFailed = false;
    } catch (error) {
      this.failed(error);
    }
    // After the lease: who replaces the history sees that, or is seen. Where the database takes no writes, the mark is seen all the same.
    try {
      this.follow(await this.withSession(readHistory));
    } catch (error) {
      this.failed(error);
    }
  }

  async end(): Promise<void> {
    this.ended = true;
    clearInterval(this.timer);
    const giveBack = async (): Promise<void> => {
      await this.renewing;
      await this.withSession((session) => session.execute('DELETE FROM service_lease WHERE id = ?', [this.id]));
    };
    await within(END_MS, giveBack(), () => undefined).catch(() => undefined);
  }

  private async write(session: Session): Promise<void> {
    const { sql } = this.dialect;
    await session.execute(
      `INSERT INTO service_lease (id, host, pid, since_us, renewed_us) VALUES (?, ?, ?, ${sql.clock}, ${sql.clock})
       ${overwriteSql(sql, ['renewed_us'])}`,
      [this.id, this.host, BigInt(process.pid)],
    );
  }

  /** Said once, until it works again. */
  private failed(error: unknown): void {
    if (this.judge(error) !== 'defect') return;
    if (!this.hasFailed)
      logger.warn({ reason: codeOf(error) }, 'the lease of this service cannot be renewed: a restore may not see it');
    this.hasFailed = true;
  }
}
