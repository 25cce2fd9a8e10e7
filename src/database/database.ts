import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { unavailable } from '../errors/errors.js';
import { type DatabaseSide, type Dialect, DatabaseUnusableError, type DurabilitySettings } from './dialects/dialect.js';
import { numberOf } from './dialects/error-code.js';
import { MIGRATIONS } from './migrations/migrations.js';
import { DeadlineError, Session } from './session.js';

export const DIALECT = Symbol('DIALECT');

const MOST_ATTEMPTS = 3;
const NO_SUCH_TABLE = 1146;
/** The server answers, but not with what the configuration promised: waiting would not help. */
const MISCONFIGURED = new Set([1044, 1045, 1049, 1251, 1698]);

/** The registry's database: one side that writes, one that reads. */
@Injectable()
export class Database implements OnApplicationShutdown {
  private opened = false;
  private settings: DurabilitySettings = { needsBarrier: true, told: 'not known yet', warning: undefined };

  constructor(
    @InjectDataSource('writer') private readonly writer: DataSource,
    @InjectDataSource('reader') private readonly reader: DataSource,
    @Inject(DIALECT) readonly dialect: Dialect,
  ) {}

  /** What the server's settings make of a commit; known once the database is open. */
  get durability(): DurabilitySettings {
    return this.settings;
  }

  get isOpen(): boolean {
    return this.opened;
  }

  /**
   * Connects, checks the server and the schema. On SQLite pending migrations run; elsewhere `migrate` runs them.
   * @param beforeUse runs when the schema is there, before the first request is let in
   * @throws DatabaseUnusableError when waiting would not help, the driver's error when the database is away
   */
  async open(beforeUse: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    await this.connectWriter();
    if (this.dialect.migratesAtStart) await this.writer.runMigrations();
    else await this.checkSchema();
    if (!this.reader.isInitialized) await this.reader.initialize();
    await this.withSession('writer', async (session) => {
      await checkClock(session);
      this.settings = await this.dialect.readDurability(session);
    });
    await beforeUse();
    this.opened = true;
  }

  /** Whether an error of `open` says that the database may come back by itself. A file that cannot be opened will not. */
  isAway(error: unknown): boolean {
    if (error instanceof DatabaseUnusableError) return false;
    return this.dialect.overNetwork && this.dialect.failureOf(error) !== 'defect';
  }

  /** Runs pending migrations. @returns their names */
  async migrate(): Promise<string[]> {
    await this.connectWriter();
    const done = await this.writer.runMigrations();
    return done.map(({ name }) => name);
  }

  private async connectWriter(): Promise<void> {
    try {
      if (!this.writer.isInitialized) await this.writer.initialize();
      await this.withSession('writer', () => Promise.resolve());
    } catch (error) {
      if (!MISCONFIGURED.has(numberOf(error) ?? 0)) throw error;
      throw new DatabaseUnusableError('The database refuses the user, password or database name of DATABASE_URL', {
        cause: error,
      });
    }
  }

  private async checkSchema(): Promise<void> {
    const done = await this.withSession('writer', appliedMigrations);
    const pending = MIGRATIONS.map(({ name }) => name).filter((name) => !done.has(name));
    if (pending.length > 0) {
      throw new DatabaseUnusableError(
        `The database schema is behind (${pending.join(', ')}): run "registry migrate" first`,
      );
    }
  }

  /**
   * Runs a SELECT on the reading side; again where the first met a connection that had died, or a lock.
   * @throws ApiError 503 while the database is away
   */
  read<Row>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    return this.answer('reader', (session) => session.query<Row>(sql, parameters));
  }

  /** One small commit, which makes durable everything that was visible before it. @throws ApiError 503 */
  async flush(): Promise<void> {
    await this.answer('writer', (session) => session.execute('UPDATE feed_barrier SET n = n + 1 WHERE id = 1'));
  }

  private async answer<T>(side: DatabaseSide, work: (session: Session) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.withSession(side, work);
      } catch (error) {
        const failure = this.dialect.failureOf(error);
        if (failure === 'defect') throw error;
        const isFrozen = error instanceof DeadlineError;
        if (failure === 'away' || isFrozen || attempt === MOST_ATTEMPTS) throw unavailable();
      }
    }
  }

  /** A connection of the writing side; only the ledger, and the command line in its own process, may ask for one. */
  async writerSession(): Promise<Session> {
    return Session.open(this.writer, this.dialect, 'writer');
  }

  private async withSession<T>(side: DatabaseSide, work: (session: Session) => Promise<T>): Promise<T> {
    if (side === 'reader' && !this.opened) throw unavailable();
    const session = await Session.open(side === 'writer' ? this.writer : this.reader, this.dialect, side);
    try {
      return await work(session);
    } finally {
      await session.release();
    }
  }

  /** The connections themselves are closed by TypeOrmModule. */
  onApplicationShutdown(): void {
    this.opened = false;
  }
}

async function appliedMigrations(session: Session): Promise<Set<string>> {
  try {
    const rows = await session.query<{ name: string }>('SELECT name FROM migrations');
    return new Set(rows.map(({ name }) => name));
  } catch (error) {
    if (numberOf(error) === NO_SUCH_TABLE) return new Set();
    throw error;
  }
}

/** A clock behind the feed would hand out instants that readers have passed. */
async function checkClock(session: Session): Promise<void> {
  const [row] = await session.query<{ behind: unknown }>(
    'SELECT COUNT(*) AS behind FROM feed_clock WHERE last_us < (SELECT COALESCE(MAX(feed_us), 0) FROM asset)',
  );
  if (Number(row?.behind) > 0) {
    throw new DatabaseUnusableError(
      'feed_clock.last_us is behind the newest asset: the database was restored in part or edited by hand',
    );
  }
}
