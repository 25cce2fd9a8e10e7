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
import { explainRefusal } from './connections/explain-failure.js';
import { isDenied, isLockTimeout } from './dialects/error-code.js';
import { assertCurrent, runMigrations } from './migrations/schema.js';
import { Session } from './connections/session.js';
import type { SqliteLock } from './dialects/sqlite/sqlite-lock.js';
import { DeadlineError } from './connections/deadline.js';
import { Incident } from './connections/incident.js';
import { WriteBreaker } from './connections/write-breaker.js';
import type { HostMonitor } from './connections/host-monitor.js';

export const PARTS = Symbol('PARTS');

const UNKNOWN: DurabilitySettings = { needsBarrier: true, strict: false, summary: 'not known yet', warning: undefined };
const MAX_ATTEMPTS = 5;
const MAX_PAUSE_MS = 50;

/** The registry's database: one side that writes, one that reads. */
@Injectable()
export class Database implements BeforeApplicationShutdown, OnApplicationShutdown {
  readonly dialect: Dialect;
  /** Rejects writes at once while the database answers but refuses them. */
  readonly writes = new WriteBreaker();
  readonly connections = { writer: new ConnectionUse(), reader: new ConnectionUse() };
  /** How durable a commit is under the server's settings; known once the database is open. */
  durability = UNKNOWN;
  /** The feed's epoch; undefined until the database is open. */
  feedEpoch: string | undefined;
  private readonly outage = new Incident('the database is away', 'the database is in use');
  private readonly denial = new Incident(
    'the database denies a right that the service needs',
    'the database grants the right again',
  );
  private readonly monitor: HostMonitor | undefined;
  private readonly lock: SqliteLock | undefined;
  private lease: Lease | undefined;
  private opened = false;
  private lostStatements = 0;
  /** A restore, import or move is writing into this database: until it ends, the contents must not be served. */
  private isBeingReplaced = false;

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

  /** Whether every request that needs the database fails at once: not connected yet, being replaced, or unreachable. */
  get isAway(): boolean {
    return !this.opened || this.isBeingReplaced || this.monitor?.isAway === true;
  }

  /** Why the database cannot be used, as a clause for an operator; undefined if no reason is known. */
  get trouble(): string | undefined {
    return this.isBeingReplaced ? 'a restore or a move is replacing its contents' : this.outage.why;
  }

  /** Claims the database for a service; commands don't need a claim. @throws DatabaseUnusableError if another process serves the SQLite file */
  claim(): void {
    if (this.lock !== undefined) return this.lock.acquire();
    const withSession: WithSession = (work) => this.withSession('writer', work);
    this.lease = new Lease(this.dialect, withSession, this.judgeWrite.bind(this), (history) =>
      this.noteHistory(history),
    );
  }

  /**
   * Connects, checks the server and the schema. On SQLite pending migrations run; elsewhere `migrate` runs them.
   * @param beforeUse runs once the schema is current, before the first request
   * @throws DatabaseUnusableError if retrying cannot help, the driver's error if the database is unreachable
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
    // Lease first, history second: then either a restore sees the lease, or the service sees the restore's mark.
    await this.lease?.acquire();
    await this.readHostFacts();
    await beforeUse();
    this.opened = true;
    this.outage.resolve();
    this.lease?.startRenewing(() => !this.isAway || this.isBeingReplaced);
    this.monitor?.start({
      // A server that refuses new connections is reported as down: only open connections still work.
      onProbe: (host, { trouble }) => {
        if (trouble === undefined) this.outage.reportGone({ host: printHost(host) });
        else this.outage.report(trouble, { host: printHost(host) });
        this.denial.reportGone();
      },
      prepare: (host) => this.adoptHost(host),
    });
  }

  /** Checks after each renewal of the lease whether a restore or a move has begun, or ended. */
  private noteHistory({ epoch, copying }: History): void {
    const isReplaced = copying !== null;
    if (isReplaced !== this.isBeingReplaced)
      logger.warn(isReplaced ? 'the database is being replaced' : 'the database is complete again');
    this.isBeingReplaced = isReplaced;
    if (!isReplaced) this.feedEpoch = epoch;
  }

  /** Reads epoch and durability from the host before it is used. */
  private async readHostFacts(): Promise<void> {
    await this.withSession('writer', async (session) => {
      ({ epoch: this.feedEpoch } = await readWholeHistory(session));
      this.durability = await this.dialect.readDurability(session);
    });
  }

  private async adoptHost(host: HostAddress): Promise<boolean> {
    try {
      await this.readHostFacts();
    } catch (error) {
      this.outage.report(this.dialect.describeFailure(error), { host: printHost(host) });
      return false;
    }
    this.writes.succeeded();
    this.outage.resolve({ host: printHost(host) });
    void this.lease?.renew();
    return true;
  }

  /**
   * Reports the database as down after an error of `open` that a retry may cure; an SQLite file is never retried.
   * @returns whether to retry
   */
  reportOutage(error: unknown): boolean {
    if (error instanceof DatabaseUnusableError || this.monitor === undefined) return false;
    if (isDenied(error) || this.dialect.classifyFailure(error) === 'defect') return false;
    this.outage.report(this.dialect.describeFailure(error));
    return true;
  }

  /** Runs pending migrations. @returns their names */
  migrate(): Promise<string[]> {
    return explainRefusal(this.dialect, () => this.runMigrations());
  }

  private async runMigrations(): Promise<string[]> {
    await this.dialect.beforeMigrations(this.writer);
    await this.connectWriter();
    // Migrations may take long: this sets a copier's time limits on the pool's only connection, which they then use.
    (await Session.open(this.writer, this.dialect, 'copier')).release();
    return runMigrations(this.writer);
  }

  private async connectWriter(): Promise<void> {
    if (!this.writer.isInitialized) await this.writer.initialize();
  }

  /** Runs a SELECT on the reading side; retries after a lost connection or a lock timeout. @throws ApiError 503 while the database is away */
  read<Row>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.readWith((session) => session.query<Row>(sql, values));
  }

  /** Runs several SELECTs on one connection; if one fails temporarily, all are run again. @throws ApiError 503 */
  readWith<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.withRetries('reader', work);
  }

  /** How many statements have failed because the connection or the server was lost; after each, the server may have restarted. */
  timesLost(): number {
    return this.lostStatements;
  }

  /** Makes every commit durable that is already visible. @throws ApiError 503 */
  async flush(): Promise<void> {
    await this.withRetries('writer', (session) => flushCommits(session));
  }

  private async withRetries<T>(side: ServingSide, work: (session: Session) => Promise<T>): Promise<T> {
    const began = performance.now();
    for (let attempt = 1; ; attempt++) {
      await this.ready();
      try {
        return await this.withSession(side, (session) => {
          // Even with the slowest statement after this check, the request ends within 8 s.
          if (performance.now() - began > TIME_BUDGETS_MS.readAttempts) throw unavailable('deadline');
          return work(session);
        });
      } catch (error) {
        const failure = this.judge(error);
        if (failure === 'defect') throw error;
        const isOver = attempt === MAX_ATTEMPTS || performance.now() - began > TIME_BUDGETS_MS.readAttempts;
        if (isDenied(error)) this.denial.report(this.dialect.describeFailure(error));
        if (isOver || isDenied(error)) throw Object.assign(unavailable('database_away'), { cause: error });
        if (failure === 'retry') await sleep(Math.random() * MAX_PAUSE_MS);
      }
    }
  }

  /** Resolves when the database can be used; waits for a host check that is running. @throws ApiError 503 when it is away */
  async ready(): Promise<void> {
    if (!this.opened || this.isBeingReplaced) throw unavailable('database_away');
    await this.monitor?.ready();
  }

  /** Classifies an error of a session; if the connection failed, starts a host check. */
  judge(error: unknown): Failure {
    const failure = this.dialect.classifyFailure(error);
    // A missing right affects one statement, not the whole database.
    if (!['retry', 'defect'].includes(failure) && !isDenied(error)) {
      this.lostStatements++;
      this.monitor?.doubt();
    }
    return failure;
  }

  /** Classifies an error of a write; repeated failures, refusals and time-outs open the write breaker. */
  judgeWrite(error: unknown): Failure {
    const failure = this.judge(error);
    const why = this.dialect.describeFailure(error);
    if (failure === 'retry' || isLockTimeout(error)) this.writes.failed(why);
    else if (failure === 'refused' || error instanceof DeadlineError) void this.openWriteBreaker(why);
    return failure;
  }

  /** Opens the write breaker, unless the host is down or was replaced by another one. */
  private async openWriteBreaker(why: string): Promise<void> {
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

  /** On SQLite it must not write once the lane writes: both share one connection, and so one transaction. */
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
