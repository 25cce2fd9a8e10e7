import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import Sqlite from 'better-sqlite3';
import { TIME_BUDGETS_MS } from '../../config/time-budgets.js';
import { isBusy } from '../dialects/error-code.js';
import { WRITTEN_BY_ITS_OWNER_ALONE } from '../folders.js';
import { makePrivate } from '../private-file.js';
import { PreparedStatements } from '../dialects/sqlite/prepared-statements.js';
import { asIndexError } from './index-error.js';
import { alone } from './index-place.js';

/** Marks an SQLite file as a search index of the registry. */
const APPLICATION_ID = 0x0a55e75e;
/** Raised with each change of the tables, of how the database room fills them, or of what is found of an asset. */
const LAYOUT = 10;
/** Statements that are kept prepared: each part of the index has its own. */
const MOST_STATEMENTS = 500;

/** Says that all of the file is on the disk. */
const SETTLED = '';
/** Names the time since the machine was started; SETTLED where the system does not say it, as every write waits for the disk then. */
const BOOT = readBoot();

/**
 * `state`: one row. Its `boot` is BOOT while the file is written without waiting for the disk, else SETTLED. `entry`: what stands at which
 * place; a place (`seq`) is given once, in the order of the feed. Very many are looked at, so they are narrow, and what they have in common
 * stands in `facet`. `detail`: the rest of an entry, which is read of hits. `part`: the full-text tables `words_<number>`, each of the places
 * of its number, and how many entries it still has. `tally`, `region`: how many entries there are of each kind (tallies.ts).
 */
const SCHEMA = `
  CREATE TABLE state (id INTEGER PRIMARY KEY, version TEXT NOT NULL, epoch TEXT NOT NULL, us INTEGER NOT NULL, next_seq INTEGER NOT NULL,
    boot TEXT NOT NULL);
  CREATE TABLE entry (seq INTEGER PRIMARY KEY, us INTEGER NOT NULL UNIQUE, facet INTEGER NOT NULL, currency TEXT, amount REAL);
  CREATE INDEX entry_amount ON entry (currency, amount);
  CREATE INDEX entry_facet ON entry (facet, currency, amount);
  CREATE TABLE detail (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, created_day TEXT NOT NULL, changed_day TEXT NOT NULL,
    choices TEXT NOT NULL);
  CREATE TABLE facet (number INTEGER PRIMARY KEY, status TEXT NOT NULL, type TEXT NOT NULL, entries INTEGER NOT NULL, regions TEXT NOT NULL,
    UNIQUE (status, type, regions));
  CREATE TABLE part (number INTEGER PRIMARY KEY, entries INTEGER NOT NULL);
  CREATE TABLE region (key TEXT PRIMARY KEY, name TEXT NOT NULL, entries INTEGER NOT NULL) WITHOUT ROWID;
  CREATE INDEX region_entries ON region (entries DESC, key);
  CREATE TABLE tally (kind TEXT NOT NULL, key TEXT NOT NULL, entries INTEGER NOT NULL, sum TEXT NOT NULL, PRIMARY KEY (kind, key)) WITHOUT ROWID;
`;

/** What SQLite tells of one: pages in the log, and how many of them are in the file. */
interface Checkpoint {
  busy: number;
  log: number;
  checkpointed: number;
}

function readBoot(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return SETTLED;
  }
}

/**
 * A connection to the index's file, with its prepared statements.
 *
 * A slow disk would hold the event loop, so nobody waits for it: that is safe for as long as the machine runs, whatever happens to the process.
 * `state` says since which start of the machine the file is written so, and after another one it is emptied. Who closes the file leaves it settled.
 */
export class SearchFile {
  private readonly statements: PreparedStatements;

  private constructor(
    private readonly path: string,
    private readonly handle: Sqlite.Database,
    /** Version of the tables and of what is kept in them. */
    readonly version: string,
  ) {
    this.statements = new PreparedStatements(handle, MOST_STATEMENTS);
  }

  /**
   * @param version of what is kept; a file of another one is emptied
   * @param patienceMs how long other processes may take to make it: the event loop is held meanwhile
   * @throws IndexError when the file cannot be written, or is none of ours
   */
  static open(path: string, version: string, patienceMs: number): SearchFile {
    let handle: Sqlite.Database | undefined;
    try {
      // One folder only: Node would try for ever to make several below /proc (folders.ts).
      if (!existsSync(dirname(path))) mkdirSync(dirname(path), WRITTEN_BY_ITS_OWNER_ALONE);
      const { file, isNew } = alone(path, patienceMs, () => {
        makePrivate(path);
        handle = new Sqlite(path, { timeout: patienceMs });
        const made = new SearchFile(path, handle, `${LAYOUT} ${version}`);
        return { file: made, isNew: made.make() };
      });
      if (!isNew) file.stopWaiting();
      file.handle.pragma('busy_timeout = 0');
      return file;
    } catch (error) {
      handle?.close();
      throw asIndexError(error);
    }
  }

  /** Another connection to the same file, which writes nothing. */
  openReader(): SearchFile {
    try {
      // Another process may have just begun to use the file, or end.
      const options = { readonly: true, fileMustExist: true, timeout: TIME_BUDGETS_MS.searchFile };
      return new SearchFile(this.path, new Sqlite(this.path, options), this.version);
    } catch (error) {
      throw asIndexError(error);
    }
  }

  /** Makes the tables, where they are not there or of another version. @returns whether the file is a new one */
  private make(): boolean {
    this.refuseAnother();
    // Nobody has settled a new file.
    const isNew = !this.isOurs();
    if (isNew) this.waitForDisk('OFF');
    this.handle.pragma('journal_mode = WAL');
    if (this.handle.transaction(() => this.prepare()).immediate()) this.shrink();
    return isNew;
  }

  private refuseAnother(): void {
    if (!this.isOurs() && this.tables().length > 0) throw new Error('The file is another SQLite database');
  }

  private isOurs(): boolean {
    return this.handle.pragma('application_id', { simple: true }) === APPLICATION_ID;
  }

  /** @returns whether it had to be emptied */
  private prepare(): boolean {
    if (this.isOurs() && this.isWhole()) return false;
    for (const { name } of this.tables()) this.handle.exec(`DROP TABLE "${name}"`);
    this.handle.pragma(`application_id = ${APPLICATION_ID}`);
    this.handle.exec(SCHEMA);
    const sql = "INSERT INTO state (id, version, epoch, us, next_seq, boot) VALUES (1, ?, '', -1, 1, ?)";
    this.run(sql, this.version, BOOT);
    return true;
  }

  /** Whether nothing of it can be missing, and it has what this process would keep. */
  private isWhole(): boolean {
    // The rest of the row is of the version.
    if (this.values<string>('SELECT version FROM state')[0] !== this.version) return false;
    return [SETTLED, BOOT].includes(this.boot());
  }

  private boot(): string {
    return this.values<string>('SELECT boot FROM state')[0] ?? SETTLED;
  }

  /** FULL: at each commit. NORMAL: at checkpoints. */
  private waitForDisk(when: 'FULL' | 'NORMAL' | 'OFF'): void {
    this.handle.pragma(`synchronous = ${when === 'OFF' && BOOT === SETTLED ? 'NORMAL' : when}`);
  }

  /**
   * From here on nobody waits for the disk. First the mark is brought there, and not to the log alone, which is written over: else the file
   * might say SETTLED after a power failure, with some later pages. While a reader of an earlier state keeps it from that, it is waited for.
   */
  private stopWaiting(): void {
    let isThere = false;
    this.waitForDisk('FULL');
    try {
      this.mark(BOOT);
      const [checkpoint] = this.handle.pragma('wal_checkpoint') as Checkpoint[];
      isThere = checkpoint?.busy === 0 && checkpoint.log === checkpoint.checkpointed;
    } finally {
      this.waitForDisk(isThere ? 'OFF' : 'NORMAL');
    }
  }

  private mark(boot: string): void {
    if (this.boot() !== boot) this.run('UPDATE state SET boot = ?', boot);
  }

  /** Without those that a full-text table keeps for itself: they go with it. */
  private tables(): { name: string }[] {
    const sql =
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type <> 'shadow' AND name NOT LIKE 'sqlite_%'";
    return this.rows<{ name: string }>(sql);
  }

  /** @returns undefined when another process writes @throws IndexError */
  write<T>(work: () => T): T | undefined {
    try {
      let isMarked = true;
      const write = this.handle.transaction(() => {
        // Another process may have settled the file.
        isMarked = this.boot() === BOOT;
        return isMarked ? work() : undefined;
      });
      const result = write.immediate();
      if (isMarked) return result;
      this.stopWaiting();
      return write.immediate();
    } catch (error) {
      if (isBusy(error)) return undefined;
      throw asIndexError(error);
    }
  }

  /**
   * Leaves nothing of what was deleted in the file, and gives its room back: quick where the index is nearly empty.
   * @returns false while others read or write
   */
  shrink(): boolean {
    try {
      // Another process may have settled the file.
      if (this.boot() !== BOOT) this.stopWaiting();
      this.handle.exec('VACUUM');
      return this.emptyLog();
    } catch (error) {
      if (isBusy(error)) return false;
      throw asIndexError(error);
    }
  }

  /** @returns false while others read or write */
  private emptyLog(): boolean {
    const [checkpoint] = this.handle.pragma('wal_checkpoint(TRUNCATE)') as Checkpoint[];
    return checkpoint?.busy === 0;
  }

  /** What is read until the end is of one moment. @throws IndexError */
  begin(): void {
    this.run('BEGIN');
  }

  /** An error may have ended it. @throws IndexError */
  end(): void {
    if (this.handle.inTransaction) this.run('COMMIT');
  }

  /** Places and instants are bound as bigints: SQLite would take a large number for a floating-point one. @throws IndexError */
  rows<Row>(sql: string, ...values: readonly unknown[]): Row[] {
    try {
      return this.statements
        .of(sql)
        .pluck(false)
        .all(...values) as Row[];
    } catch (error) {
      throw asIndexError(error);
    }
  }

  /** The values of a statement with one column: of very many rows, in half of the time. @throws IndexError */
  values<Value>(sql: string, ...values: readonly unknown[]): Value[] {
    try {
      return this.statements
        .of(sql)
        .pluck()
        .all(...values) as Value[];
    } catch (error) {
      throw asIndexError(error);
    }
  }

  /** @throws IndexError */
  run(sql: string, ...values: readonly unknown[]): void {
    try {
      this.statements.of(sql).run(...values);
    } catch (error) {
      throw asIndexError(error);
    }
  }

  close(): void {
    if (!this.handle.readonly) this.settle();
    this.handle.close();
  }

  /** Brings all of it to the disk, and says so in it, unless others use it. */
  private settle(): void {
    try {
      this.waitForDisk('FULL');
      // A checkpoint waits for the disk only where there is something to write.
      this.run('UPDATE state SET boot = boot');
      if (this.emptyLog()) this.mark(SETTLED);
    } catch {
      // It is built anew after the next start of the machine.
    }
  }
}
