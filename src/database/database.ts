import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { TIME_BUDGETS_MS } from '../platform/config/time-budgets.js';
import { unavailable } from '../platform/errors/errors.js';
import { type HostAddress, printHost } from '../platform/config/database-url.js';
import { logger } from '../platform/logging/logger.js';
import { ConnectionUse } from './connections/connection-use.js';
import type { DatabaseParts } from './connections/data-sources.js';
import {
  type Dialect,
  DatabaseUnusableError,
  type DurabilitySettings,
  type Failure,
  type ServingSide,
} from './dialects/dialect.js';
import { flushCommits, type History, readWholeHistory } from './repositories/feed-history.js';
import { Lease, type WithSession } from './connections/lease.js';
import { explainRefusal } from './connections/unusable-database.js';
import { isDenied, isLockTimeout } from './dialects/error-code.js';
import { assertCurrent, runMigrations } from './migrations/schema.js';
import { Session } from './connections/session.js';
import type { SqliteLock } from './dialects/sqlite/sqlite-lock.js';
import { DeadlineError } from './connections/deadline.js';
import { Incident } from './connections/incident.js';
import { WriteBreaker } from './connections/write-breaker.js';
import type { HostMonitor } from './connections/host-monitor.js';

export const PARTS = Symbol('PARTS');

const UNKNOWN: DurabilitySettings = { needsBarrier: true, strict: false, told: 'not known yet', warning: undefined };
const MAX_ATTEMPTS = 5;
const LONGEST_PAUSE_MS = 50;

/** The registry's database: one side that writes, one that reads. */
@Injectable()
export class Database implements BeforeApplicationShutdown, OnApplicationShutdown {
  readonly dialect: Dialect;
  /** Keeps writes away from a database that answers and does not take them. */
  readonly writes = new WriteBreaker();
  readonly connections = { writer: new ConnectionUse(), reader: new ConnectionUse() };
  /** What the server's settings make of a commit; known once the database is open. */
  durability = UNKNOWN;
  /** Which history the feed tells, as it was when the database was opened; undefined before. */
  feedEpoch: string | undefined;
  private readonly absence = new Incident('the database is away', 'the database is in use');
  private readonly denial = new Incident(
    'the database denies what the service needs',
    'the database denies it no more',
  );
  private readonly monitor: HostMonitor | undefined;
  private readonly lock: SqliteLock | undefined;
  private lease: Lease | undefined;
  private opened = false;
  private losses = 0;
  /** A restore or a move writes another history into it: until that ends, its contents must not be served. */
  private isReplaced = false;

  constructor(
    @InjectDataSource('writer') private readonly writer: DataSource,
    @InjectDataSource('reader') private readonly reader: DataSource,
    @Inject(PARTS) parts: DatabaseParts,
  ) {
    this.dialect = parts.dialect;
    this.monitor = parts.monitor;
    this.lock = parts.lock;
  }

  needsBarrier(): boolean {
    return this.durability.needsBarrier;
  }

  /** Whether everything that needs the database fails at once: it has not been reached yet, or it is known to be away. */
  get isAway(): boolean {
    return !this.opened || this.isReplaced || this.monitor?.isAway === true;
  }

  /** What keeps the database from being used, in a clause for an operator; undefined where nothing is known to. */
  get trouble(): string | undefined {
    return this.isReplaced ? 'another history is being put into it' : this.absence.why;
  }

  /** Before a service uses it; the command line may work beside one. @throws DatabaseUnusableError when another process serves it */
  claim(): void {
    if (this.lock !== undefined) return this.lock.acquire();
    const withSession: WithSession = (work) => this.withSession('writer', work);
    this.lease = new Lease(this.dialect, withSession, this.judgeWrite.bind(this), (history) => this.follow(history));
  }

  /**
   * Connects, checks the server and the schema. On SQLite pending migrations run; elsewhere `migrate` runs them.
   * @param beforeUse runs when the schema is there, before the first request is let in
   * @throws DatabaseUnusableError when waiting would not help, the driver's error when the database is away
   */
  open(beforeUse: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    return explainRefusal(this.dialect, () => this.prepare(beforeUse));
  }

  private async prepare(beforeUse: () => Promise<void>): Promise<void> {
    await this.monitor?.choose();
    if (this.monitor === undefined) await this.runMigrations();
    else {
      await this.connectWriter();
      await this.withSession('writer', assertCurrent);
    }
    if (!this.reader.isInitialized) await this.reader.initialize();
    // Before the history is read: who replaces it sees the lease, or is seen.
    await this.lease?.acquire();
    await this.learn();
    await beforeUse();
    this.opened = true;
    this.absence.over();
    this.lease?.keep(() => !this.isAway || this.isReplaced);
    this.monitor?.start({
      // A server that lets nobody in is away for whoever needs a new connection.
      seen: (host, { trouble }) => {
        if (trouble === undefined) this.absence.notSeen({ host: printHost(host) });
        else this.absence.seen(trouble, { host: printHost(host) });
        this.denial.notSeen();
      },
      prepare: (host) => this.goOn(host),
    });
  }

  /** What the history is while it is served: somebody may replace it all the same. */
  private follow({ epoch, copying }: History): void {
    const isReplaced = copying !== null;
    if (isReplaced !== this.isReplaced)
      logger.warn(isReplaced ? 'the database is being replaced' : 'the database is whole again');
    this.isReplaced = isReplaced;
    if (!isReplaced) this.feedEpoch = epoch;
  }

  /** What has to be known of a host before it is used. */
  private async learn(): Promise<void> {
    await this.withSession('writer', async (session) => {
      ({ epoch: this.feedEpoch } = await readWholeHistory(session));
      this.durability = await this.dialect.readDurability(session);
    });
  }

  private async goOn(host: HostAddress): Promise<boolean> {
    try {
      await this.learn();
    } catch (error) {
      this.absence.seen(this.dialect.describeFailure(error), { host: printHost(host) });
      return false;
    }
    this.writes.succeeded();
    this.absence.over({ host: printHost(host) });
    void this.lease?.renew();
    return true;
  }

  /**
   * Takes an error of `open` for a sign that the database is away, where it may come back by itself. A file that cannot be opened will not.
   * @returns whether it is worth waiting for
   */
  countAsAway(error: unknown): boolean {
    if (error instanceof DatabaseUnusableError || this.monitor === undefined) return false;
    if (isDenied(error) || this.dialect.classifyFailure(error) === 'defect') return false;
    this.absence.seen(this.dialect.describeFailure(error));
    return true;
  }

  /** Runs pending migrations. @returns their names */
  migrate(): Promise<string[]> {
    return explainRefusal(this.dialect, () => this.runMigrations());
  }

  private async runMigrations(): Promise<string[]> {
    await this.dialect.beforeMigrations(this.writer);
    await this.connectWriter();
    // It is the only connection so far, and so that of the migrations, which may take long.
    (await Session.open(this.writer, this.dialect, 'copier')).release();
    return runMigrations(this.writer);
  }

  private async connectWriter(): Promise<void> {
    if (!this.writer.isInitialized) await this.writer.initialize();
  }

  /**
   * Runs a SELECT on the reading side; again where the first met a connection that had died, or a lock.
   * @throws ApiError 503 while the database is away
   */
  read<Row>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.readWith((session) => session.query<Row>(sql, values));
  }

  /** Runs several SELECTs on one connection; where one fails for a passing reason, all of them are run again. @throws ApiError 503 */
  readWith<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.answer('reader', work);
  }

  /** How often the database was not there for a statement: since then it may have been restarted. */
  timesLost(): number {
    return this.losses;
  }

  /** Makes everything durable that was visible before. @throws ApiError 503 */
  async flush(): Promise<void> {
    await this.answer('writer', (session) => flushCommits(session));
  }

  private async answer<T>(side: ServingSide, work: (session: Session) => Promise<T>): Promise<T> {
    const began = performance.now();
    for (let attempt = 1; ; attempt++) {
      await this.ready();
      try {
        return await this.withSession(side, (session) => {
          // With the longest statement behind that, it ends within 8 s.
          if (performance.now() - began > TIME_BUDGETS_MS.readAttempts) throw unavailable('deadline');
          return work(session);
        });
      } catch (error) {
        const failure = this.judge(error);
        if (failure === 'defect') throw error;
        const isOver = attempt === MAX_ATTEMPTS || performance.now() - began > TIME_BUDGETS_MS.readAttempts;
        if (isDenied(error)) this.denial.seen(this.dialect.describeFailure(error));
        if (isOver || isDenied(error)) throw Object.assign(unavailable('database_away'), { cause: error });
        if (failure === 'retry') await sleep(Math.random() * LONGEST_PAUSE_MS);
      }
    }
  }

  /** Resolves when the database can be used; while that is in doubt, it waits. @throws ApiError 503 when it is away */
  async ready(): Promise<void> {
    if (!this.opened || this.isReplaced) throw unavailable('database_away');
    await this.monitor?.ready();
  }

  /** Judges an error of a session, and has the database looked after when the connection is at fault. */
  judge(error: unknown): Failure {
    const failure = this.dialect.classifyFailure(error);
    // All that needs another right goes on.
    if (!['retry', 'defect'].includes(failure) && !isDenied(error)) {
      this.losses++;
      this.monitor?.doubt();
    }
    return failure;
  }

  /** Judges an error of a write: what was refused, or not answered in time, need not be tried again and again. */
  judgeWrite(error: unknown): Failure {
    const failure = this.judge(error);
    const why = this.dialect.describeFailure(error);
    if (failure === 'retry' || isLockTimeout(error)) this.writes.failed(why);
    else if (failure === 'refused' || error instanceof DeadlineError) void this.keepWritesAway(why);
    return failure;
  }

  /** Unless the host is away, or another one takes its place. */
  private async keepWritesAway(why: string): Promise<void> {
    const host = this.monitor?.hosts.current;
    try {
      await this.monitor?.ready();
    } catch {
      return;
    }
    if (this.monitor?.hosts.current === host) this.writes.refused(why);
  }

  async laneSession(): Promise<Session> {
    return Session.open(this.writer, this.dialect, 'lane');
  }

  /** On SQLite nothing may be written by it once the lane writes: both have one connection, and so one transaction. */
  private async withSession<T>(side: ServingSide, work: (session: Session) => Promise<T>): Promise<T> {
    const source = side === 'reader' ? this.reader : this.writer;
    return this.connections[side].during(() => Session.open(source, this.dialect, side), work);
  }

  async beforeApplicationShutdown(): Promise<void> {
    if (this.monitor?.isAway !== true) await this.lease?.end();
  }

  /** The connections themselves are closed by TypeOrmModule. */
  async onApplicationShutdown(): Promise<void> {
    this.opened = false;
    await this.monitor?.stop();
    this.lock?.release();
  }
}
