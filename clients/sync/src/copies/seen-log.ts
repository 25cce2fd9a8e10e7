import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import type { Connection, RowDataPacket } from 'mysql2/promise';
import { SyncError } from '../sync-error.js';
import { connect } from './mysql-connection.js';
import { namingFile } from './naming-file.js';
import { type ServerTarget, shownTarget, type Target } from './target.js';

/** The newest checkpoint of a log that was seen and verified. */
export interface SeenHead {
  origin: string;
  size: number;
  /** Base64. */
  root: string;
  /** The checkpoint with its signatures. */
  note: string;
  /** Verifier keys that are believed from now on. */
  keys: string[];
}

/** What was seen of a log, kept beside a copy. */
export interface SeenLog {
  head(): Promise<SeenHead | undefined>;
  keep(head: SeenHead): Promise<void>;
  /** Keeps a head in the place of one whose log is gone, and that one, as it was signed, under a name of its own. */
  replace(gone: SeenHead, head: SeenHead): Promise<void>;
  /** Hashes of entries. What is beyond the size of the head was not verified. */
  tile(number: number): Promise<Buffer | undefined>;
  /** Both or nothing: all of them. */
  keepTiles(tiles: ReadonlyMap<number, Buffer>): Promise<void>;
  close(): Promise<void>;
}

/** Values by their names. */
interface Values {
  find(name: string): Promise<Buffer | undefined>;
  /** All of them, or none. */
  put(values: [string, Buffer][]): Promise<void>;
  close(): Promise<void>;
}

const TABLE = 'asset_log_seen';
const COLUMNS = ['name', 'value'];
const HEAD = 'head';
const GONE_DIGITS = 24;

/**
 * Opens it, and makes it where there is none.
 * @param forgets what it is to keep is forgotten at its end: for a verification that changes nothing
 * @throws SyncError for a table of that name that is somebody else's
 */
export async function openSeenLog(target: Target, forgets = false): Promise<SeenLog> {
  const kept =
    target.kind === 'mysql' ? await TableValues.open(target) : FileValues.open(`${target.path}.log-seen.sqlite`);
  return new KeptSeen(forgets ? new ForgottenValues(kept) : kept);
}

class KeptSeen implements SeenLog {
  constructor(private readonly values: Values) {}

  async head(): Promise<SeenHead | undefined> {
    const value = await this.values.find(HEAD);
    return value === undefined ? undefined : (JSON.parse(value.toString()) as SeenHead);
  }

  keep(head: SeenHead): Promise<void> {
    return this.values.put([[HEAD, bytesOf(head)]]);
  }

  replace(gone: SeenHead, head: SeenHead): Promise<void> {
    return this.values.put([
      [goneName(gone), bytesOf(gone)],
      [HEAD, bytesOf(head)],
    ]);
  }

  tile(number: number): Promise<Buffer | undefined> {
    return this.values.find(tileName(number));
  }

  keepTiles(tiles: ReadonlyMap<number, Buffer>): Promise<void> {
    return this.values.put(Array.from(tiles, ([number, hashes]) => [tileName(number), hashes]));
  }

  close(): Promise<void> {
    return this.values.close();
  }
}

/** What is put is above what is kept, and goes at the end. */
class ForgottenValues implements Values {
  /** Without a path it is a file that SQLite removes. */
  private readonly now = FileValues.open('');

  constructor(private readonly kept: Values) {}

  async find(name: string): Promise<Buffer | undefined> {
    return (await this.now.find(name)) ?? this.kept.find(name);
  }

  put(values: [string, Buffer][]): Promise<void> {
    return this.now.put(values);
  }

  async close(): Promise<void> {
    await this.now.close();
    await this.kept.close();
  }
}

/** In a file of its own, also beside a copy in SQLite: a copy that is made anew does not take it along. */
class FileValues implements Values {
  private database: Sqlite.Database | undefined;

  private constructor(private readonly path: string) {}

  static open(path: string): FileValues {
    const values = new FileValues(path);
    // A registry without a log leaves nothing behind.
    if (existsSync(path)) values.opened();
    return values;
  }

  async find(name: string): Promise<Buffer | undefined> {
    const select = this.database?.prepare(`SELECT value FROM ${TABLE} WHERE name = ?`);
    return select?.pluck().get(name) as Buffer | undefined;
  }

  async put(values: [string, Buffer][]): Promise<void> {
    namingFile(this.path, 'written', () => {
      const database = this.opened();
      const replace = database.prepare(`REPLACE INTO ${TABLE} VALUES (?, ?)`);
      database.transaction(() => {
        for (const value of values) replace.run(...value);
      })();
    });
  }

  async close(): Promise<void> {
    this.database?.close();
  }

  private opened(): Sqlite.Database {
    if (this.database !== undefined) return this.database;
    const database = new Sqlite(this.path);
    const found = database.prepare('SELECT name FROM pragma_table_info(?)').pluck().all(TABLE) as string[];
    checkOurs(found, this.path);
    database.exec(`CREATE TABLE IF NOT EXISTS ${TABLE} (name TEXT NOT NULL PRIMARY KEY, value BLOB NOT NULL)`);
    this.database = database;
    return database;
  }
}

/** In a table beside those of the copy. */
class TableValues implements Values {
  private constructor(
    private readonly connection: Connection,
    private isThere: boolean,
  ) {}

  static async open(target: ServerTarget): Promise<TableValues> {
    const connection = await connect(target);
    try {
      const sql =
        'SELECT column_name AS name FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = ?';
      const [found] = await connection.query<RowDataPacket[]>(sql, [TABLE]);
      const names = (found as { name: string }[]).map(({ name }) => name);
      checkOurs(names, shownTarget(target));
      return new TableValues(connection, names.length > 0);
    } catch (error) {
      connection.destroy();
      throw error;
    }
  }

  async find(name: string): Promise<Buffer | undefined> {
    if (!this.isThere) return undefined;
    const [rows] = await this.connection.query<RowDataPacket[]>(`SELECT value FROM ${TABLE} WHERE name = ?`, [name]);
    return (rows as { value: Buffer }[])[0]?.value;
  }

  /** In one statement. */
  async put(values: [string, Buffer][]): Promise<void> {
    if (values.length === 0) return;
    if (!this.isThere)
      await this.connection.query(`CREATE TABLE IF NOT EXISTS ${TABLE} (
        name VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY, value LONGBLOB NOT NULL
      ) ENGINE = InnoDB`);
    this.isThere = true;
    await this.connection.query(`REPLACE INTO ${TABLE} (name, value) VALUES ?`, [values]);
  }

  async close(): Promise<void> {
    await this.connection.end().catch(() => this.connection.destroy());
  }
}

function checkOurs(found: readonly string[], shown: string): void {
  if (found.length === 0 || COLUMNS.every((column) => found.includes(column))) return;
  throw new SyncError(`${shown} holds a table "${TABLE}" that is not of registry-sync. Nothing was changed`);
}

function bytesOf(head: SeenHead): Buffer {
  return Buffer.from(JSON.stringify(head));
}

/** Short enough for a column, and another one for each checkpoint. */
function goneName({ note }: SeenHead): string {
  return `gone/${hash('sha256', note, 'hex').slice(0, GONE_DIGITS)}`;
}

function tileName(number: number): string {
  return `tile/${number}`;
}
