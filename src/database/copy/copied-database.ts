import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { DataSource } from 'typeorm';
import {
  type DatabaseAddress,
  databaseUrlFault,
  parseDatabaseUrl,
  printHost,
} from '../../platform/config/database-url.js';
import { createDataSource, databaseParts, type DatabaseParts, dataSourceOptions } from '../connections/data-sources.js';
import { DatabaseUnusableError, type Dialect } from '../dialects/dialect.js';
import { DatabaseFile, rethrowWithName } from '../dialects/sqlite/database-file.js';
import { handleOf } from '../dialects/sqlite/sqlite-connection.js';
import type { History } from '../repositories/feed-history.js';
import type { Hosts } from '../connections/hosts.js';
import { MIGRATIONS } from '../migrations/migrations.js';
import { explainOutage } from '../connections/unusable-database.js';
import { findAppliedMigrations, pendingMigrations } from '../migrations/schema.js';
import { Session } from '../connections/session.js';
import { Leases } from './leases.js';
import { type CopiedTable, copiedTables } from './tables.js';

const LOCK_ATTEMPTS = 10;

/** A whole database as a command copies it, over a connection of its own and without a service. */
export class CopiedDatabase {
  readonly tables: readonly CopiedTable[];
  private readonly leases: Leases;

  private constructor(
    /** For people; without a password. */
    readonly name: string,
    readonly dialect: Dialect,
    readonly session: Session,
    private readonly dataSource: DataSource,
    private readonly parts: DatabaseParts,
    /** Undefined where it is a server's. */
    readonly file: DatabaseFile | undefined,
  ) {
    this.tables = copiedTables(dataSource);
    this.leases = new Leases(session);
  }

  /**
   * @param access a file that is read is not changed, and has to be there
   * @param used hosts of a service, whose host in use is meant; without them the first that answers is
   * @throws Error for an URL that is none, the driver's error when the database cannot be reached
   */
  static async open(databaseUrl: string, access: 'read' | 'write', used?: Hosts): Promise<CopiedDatabase> {
    const address = parseDatabaseUrl(databaseUrl);
    if (address === undefined) throw new Error(`The URL of a database ${databaseUrlFault(databaseUrl)}`);
    const name = nameOf(address);
    const isFile = address.kind === 'sqlite';
    if (isFile && access === 'read') assertFile(resolve(address.path));
    const parts = databaseParts(databaseUrl);
    if (used === undefined) await parts.monitor?.choose();
    const side = isFile && access === 'read' ? 'reader' : 'copier';
    const dataSource = createDataSource(await dataSourceOptions(databaseUrl, side, used ?? parts.monitor?.hosts));
    try {
      // Opening a file for writing changes it.
      if (access === 'write') await parts.dialect.beforeMigrations(dataSource);
      if (!dataSource.isInitialized) await dataSource.initialize();
      const session = await Session.open(dataSource, parts.dialect, side);
      const file = isFile ? new DatabaseFile(await handleOf(dataSource), name) : undefined;
      return new CopiedDatabase(name, parts.dialect, session, dataSource, parts, file);
    } catch (error) {
      if (dataSource.isInitialized) await dataSource.destroy();
      if (error instanceof DatabaseUnusableError) throw error;
      return isFile ? rethrowWithName(name, access, error as Error) : refuseServer(name, parts.dialect, error);
    }
  }

  /** @throws as `open` */
  static async openFile(path: string, access: 'read' | 'write'): Promise<CopiedFile> {
    return (await CopiedDatabase.open(`sqlite:${path}`, access)) as CopiedFile;
  }

  /** The table of this database with the name of another database's table. */
  tableLike({ name }: CopiedTable): CopiedTable {
    return this.tables.find((table) => table.name === name) as CopiedTable;
  }

  async migrate(): Promise<void> {
    await this.dataSource.runMigrations();
  }

  async isRegistry(): Promise<boolean> {
    return (await findAppliedMigrations(this.session)) !== undefined;
  }

  /** @throws Error when it is no registry's, or one of a later version, whose tables are not known here */
  async assertKnown(): Promise<void> {
    const applied = await findAppliedMigrations(this.session);
    if (applied === undefined) throw new Error(`${this.name} is not a database of a registry`);
    const known = new Set(MIGRATIONS.map(({ name }) => name));
    const unknown = applied.filter((name) => !known.has(name));
    if (unknown.length > 0)
      throw new Error(`${this.name} is of a later version (${unknown.join(', ')}): run the command of that version`);
  }

  /** @throws Error when it is no registry's, or one of a later or an older version */
  async assertCurrent(): Promise<void> {
    await this.assertKnown();
    const pending = await pendingMigrations(this.session);
    if (pending.length > 0)
      throw new Error(
        `The schema of ${this.name} is behind (${pending.join(', ')}): run "registry migrate" on it first`,
      );
  }

  async writeHistory({ lastUs, epoch, copying }: History): Promise<void> {
    await this.session.execute('UPDATE feed_clock SET last_us = ?, epoch = ?, copying = ? WHERE id = 1', [
      lastUs,
      epoch,
      copying,
    ]);
  }

  /** What services compare their clocks with: what time it is, and by how much the instants may be ahead of it. */
  async writeWitness(seenUs: number, leadUs: number): Promise<void> {
    await this.session.execute('DELETE FROM clock_witness');
    await this.session.execute('INSERT INTO clock_witness (id, seen_us, lead_us) VALUES (1, ?, ?)', [seenUs, leadUs]);
  }

  /** Does `work` in a transaction, which is rolled back where it throws. @returns what `work` returns @throws what it throws */
  async inTransaction<T>(work: () => Promise<T>): Promise<T> {
    const { limitIdleTime, begin, restoreIdleTime } = this.dialect.sql;
    await this.runAll([...limitIdleTime, begin]);
    let done: T;
    try {
      done = await work();
    } catch (error) {
      // Where that fails, the database takes it back by itself: with the connection, or as SQLite does on a full disk.
      await this.runAll(['ROLLBACK', ...restoreIdleTime]).catch(() => this.session.destroy());
      throw error;
    }
    await this.runAll(['COMMIT', ...restoreIdleTime]);
    return done;
  }

  /**
   * From now on one moment of history is read. On a server it is taken while no batch is under way, because MariaDB's views are not
   * atomic: writers wait for these two statements, and for nothing else.
   */
  async beginSnapshot(): Promise<void> {
    if (this.file !== undefined) return this.runAll(this.dialect.sql.snapshot);
    // With a writer's bounds: where this process is frozen now, the server takes the lock back.
    const holder = await Session.open(this.dataSource, this.dialect, 'writer');
    try {
      await this.lockClock(holder);
      await this.runAll(this.dialect.sql.snapshot);
      await holder.execute('ROLLBACK');
    } catch (error) {
      // With it goes the lock, whatever state it is in.
      holder.destroy();
      throw error;
    }
    holder.release();
  }

  private async runAll(statements: readonly string[]): Promise<void> {
    for (const sql of statements) await this.session.execute(sql);
  }

  /** Locks the clock, and tries again where under load its turn does not come before the server's deadline. */
  private async lockClock(holder: Session): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await holder.execute(this.dialect.sql.begin);
        await holder.query(`SELECT last_us FROM feed_clock WHERE id = 1 ${this.dialect.sql.forUpdate}`);
        return;
      } catch (error) {
        if (attempt === LOCK_ATTEMPTS || this.dialect.classifyFailure(error) !== 'retry') throw error;
        await holder.execute('ROLLBACK');
      }
    }
  }

  /** @throws DatabaseUnusableError or Error while a service uses it */
  async claim(): Promise<void> {
    if (this.parts.lock !== undefined) return this.parts.lock.acquire();
    assertNone(await this.leases.waitUntilOver(), this.name);
  }

  /**
   * Says that it is half a copy from now on. A service that begins later sees that; for one that has begun since the claim, all stays. So it
   * does for a user who may empty no table, which the leases that are over show before anything is lost.
   * @throws Error when there is one, the driver's error for such a user
   */
  async markHalf(history: History, copying: string): Promise<void> {
    await this.writeHistory({ ...history, copying });
    try {
      assertNone(await this.leases.begunSince(), this.name);
      await this.runAll(this.dialect.sql.truncate('service_lease'));
    } catch (error) {
      // Where the connection is lost, the mark stays: the same command goes on.
      await this.writeHistory(history).catch(() => undefined);
      throw error;
    }
  }

  async close(): Promise<void> {
    this.session.release();
    await this.dataSource.destroy();
    this.parts.lock?.release();
  }
}

/** One that is a file. */
export type CopiedFile = CopiedDatabase & { readonly file: DatabaseFile };

/** Refuses a folder, of which SQLite would say that the disk is broken, and a file that is missing. */
function assertFile(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new Error(`There is no file ${path}`);
  if (!found.isFile()) throw new Error(`${path} is no file`);
}

function refuseServer(name: string, dialect: Dialect, cause: unknown): Promise<never> {
  const refusal = dialect.describeRefusal(cause);
  if (refusal !== undefined) throw new DatabaseUnusableError(`${name}: ${refusal}`, { cause });
  return explainOutage(dialect, name, () => Promise.reject(cause));
}

function assertNone(services: readonly string[], database: string): void {
  if (services.length > 0)
    throw new Error(`${database} is served by ${services.join(', ')}: stop the services of the registry first`);
}

function nameOf(address: DatabaseAddress): string {
  if (address.kind === 'sqlite') return address.path;
  return `mysql://${address.hosts.map(printHost).join(',')}/${address.database}`;
}
