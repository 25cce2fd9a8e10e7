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
import { explainOutage } from '../connections/explain-failure.js';
import { findAppliedMigrations, pendingMigrations } from '../migrations/schema.js';
import { Session } from '../connections/session.js';
import { Leases } from './leases.js';
import { type CopiedTable, copiedTables } from './tables.js';

const LOCK_ATTEMPTS = 10;

/** A database that a command copies as a whole, over a dedicated connection. */
export class CopiedDatabase {
  readonly tables: readonly CopiedTable[];
  private readonly leases: Leases;

  private constructor(
    /** For messages; without the password. */
    readonly name: string,
    readonly dialect: Dialect,
    readonly session: Session,
    private readonly dataSource: DataSource,
    private readonly parts: DatabaseParts,
    /** Undefined for a server. */
    readonly file: DatabaseFile | undefined,
  ) {
    this.tables = copiedTables(dataSource);
    this.leases = new Leases(session);
  }

  /**
   * @param access `read` leaves a file unchanged, and requires that it exists
   * @param used hosts of a service, whose current host is used; without them the first that answers
   * @throws Error for an invalid URL, the driver's error if the database cannot be reached
   */
  static async open(databaseUrl: string, access: 'read' | 'write', used?: Hosts): Promise<CopiedDatabase> {
    const address = parseDatabaseUrl(databaseUrl);
    if (address === undefined) throw new Error(`The URL of a database ${databaseUrlFault(databaseUrl)}`);
    const name = printAddress(address);
    const isFile = address.kind === 'sqlite';
    if (isFile && access === 'read') assertFileExists(resolve(address.path));
    const parts = databaseParts(databaseUrl);
    if (used === undefined) await parts.monitor?.choose();
    const side = isFile && access === 'read' ? 'reader' : 'copier';
    const dataSource = createDataSource(await dataSourceOptions(databaseUrl, side, used ?? parts.monitor?.hosts));
    try {
      // Not for `read`, because it changes the file.
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

  /** This database's table of the same name. */
  tableLike({ name }: CopiedTable): CopiedTable {
    return this.tables.find((table) => table.name === name) as CopiedTable;
  }

  async migrate(): Promise<void> {
    await this.dataSource.runMigrations();
  }

  async isRegistry(): Promise<boolean> {
    return (await findAppliedMigrations(this.session)) !== undefined;
  }

  /** @throws Error if it is not a registry's database, or one of a later version, whose tables are unknown here */
  async assertKnownVersion(): Promise<void> {
    const applied = await findAppliedMigrations(this.session);
    if (applied === undefined) throw new Error(`${this.name} is not a database of a registry`);
    const known = new Set(MIGRATIONS.map(({ name }) => name));
    const unknown = applied.filter((name) => !known.has(name));
    if (unknown.length > 0)
      throw new Error(`${this.name} is of a later version (${unknown.join(', ')}): run the command of that version`);
  }

  /** @throws Error if it is not a registry's database, or one of a later or an older version */
  async assertCurrent(): Promise<void> {
    await this.assertKnownVersion();
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

  /** Writes what services compare their clocks with: the time, and how far instants may be ahead of it. */
  async writeWitness(seenUs: number, leadUs: number): Promise<void> {
    await this.session.execute('DELETE FROM clock_witness');
    await this.session.execute('INSERT INTO clock_witness (id, seen_us, lead_us) VALUES (1, ?, ?)', [seenUs, leadUs]);
  }

  /** Runs `work` in a transaction, which is rolled back if it throws. @returns what `work` returns @throws what it throws */
  async inTransaction<T>(work: () => Promise<T>): Promise<T> {
    const { limitIdleTime, begin, restoreIdleTime } = this.dialect.sql;
    await this.runAll([...limitIdleTime, begin]);
    let done: T;
    try {
      done = await work();
    } catch (error) {
      // If ROLLBACK fails, the database has already rolled back: because the connection was lost, or in SQLite because the disk is full.
      await this.runAll(['ROLLBACK', ...restoreIdleTime]).catch(() => this.session.destroy());
      throw error;
    }
    await this.runAll(['COMMIT', ...restoreIdleTime]);
    return done;
  }

  /**
   * Begins a snapshot, from which all later reads come. On a server it is taken with the clock locked, while no batch is running, because
   * MariaDB's read views are not atomic: writers wait for these two statements only.
   */
  async beginSnapshot(): Promise<void> {
    if (this.file !== undefined) return this.runAll(this.dialect.sql.snapshot);
    // With a writer's time limits: if this process freezes now, the server releases the lock.
    const holder = await Session.open(this.dataSource, this.dialect, 'writer');
    try {
      await this.lockClock(holder);
      await this.runAll(this.dialect.sql.snapshot);
      await holder.execute('ROLLBACK');
    } catch (error) {
      // Closing the connection releases the lock in any state.
      holder.destroy();
      throw error;
    }
    holder.release();
  }

  private async runAll(statements: readonly string[]): Promise<void> {
    for (const sql of statements) await this.session.execute(sql);
  }

  /** Locks the clock; retries lock wait time-outs, which happen under load. */
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

  /** @throws DatabaseUnusableError or Error while a service uses the database */
  async claim(): Promise<void> {
    if (this.parts.lock !== undefined) return this.parts.lock.acquire();
    assertNoServices(await this.leases.waitUntilExpired(), this.name);
  }

  /**
   * Marks the database as incomplete, which services that start later see. Undone if a service has started since the claim, or if the user
   * may not empty tables: emptying the expired leases proves that right before any data is lost.
   * @throws Error if a service has started, the driver's error without that right
   */
  async markIncomplete(history: History, copying: string): Promise<void> {
    await this.writeHistory({ ...history, copying });
    try {
      assertNoServices(await this.leases.activeSince(), this.name);
      await this.runAll(this.dialect.sql.truncate('service_lease'));
    } catch (error) {
      // If the connection is lost, the mark stays: run the same command again.
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

/** A database that is a file. */
export type CopiedFile = CopiedDatabase & { readonly file: DatabaseFile };

/** Refuses a missing file, and a folder, which SQLite would report as a broken disk. */
function assertFileExists(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new Error(`There is no file ${path}`);
  if (!found.isFile()) throw new Error(`${path} is not a file`);
}

function refuseServer(name: string, dialect: Dialect, cause: unknown): Promise<never> {
  const refusal = dialect.describeRefusal(cause);
  if (refusal !== undefined) throw new DatabaseUnusableError(`${name}: ${refusal}`, { cause });
  return explainOutage(dialect, name, () => Promise.reject(cause));
}

function assertNoServices(services: readonly string[], database: string): void {
  if (services.length > 0)
    throw new Error(`${database} is served by ${services.join(', ')}: stop the services of the registry first`);
}

function printAddress(address: DatabaseAddress): string {
  if (address.kind === 'sqlite') return address.path;
  return `mysql://${address.hosts.map(printHost).join(',')}/${address.database}`;
}
