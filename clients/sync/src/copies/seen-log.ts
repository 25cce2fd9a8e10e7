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

const TABLE = 'asset_log_seen';
const COLUMNS = ['name', 'value'];
const HEAD = 'head';
const GONE_DIGITS = 24;

/** Opens it, and makes it where there is none. @throws SyncError for a table of that name that is somebody else's */
export async function openSeenLog(target: Target): Promise<SeenLog> {
  return target.kind === 'mysql' ? MysqlSeen.open(target) : SqliteSeen.open(`${target.path}.log-seen.sqlite`);
}

/** Reads what was seen, and has forgotten at its end what it was to keep: for a verification that changes nothing. */
export class ForgettingSeen implements SeenLog {
  /** Without a path it is a file that SQLite removes. */
  private readonly now: SeenLog = SqliteSeen.open('');

  constructor(private readonly kept: SeenLog) {}

  async head(): Promise<SeenHead | undefined> {
    return (await this.now.head()) ?? this.kept.head();
  }

  keep(head: SeenHead): Promise<void> {
    return this.now.keep(head);
  }

  replace(gone: SeenHead, head: SeenHead): Promise<void> {
    return this.now.replace(gone, head);
  }

  async tile(number: number): Promise<Buffer | undefined> {
    return (await this.now.tile(number)) ?? this.kept.tile(number);
  }

  keepTiles(tiles: ReadonlyMap<number, Buffer>): Promise<void> {
    return this.now.keepTiles(tiles);
  }

  async close(): Promise<void> {
    await this.now.close();
    await this.kept.close();
  }
}

/** In a file of its own, also beside a copy in SQLite: a copy that is made anew does not take it along. */
export class SqliteSeen implements SeenLog {
  private database: Sqlite.Database | undefined;

  private constructor(private readonly path: string) {}

  static open(path: string): SqliteSeen {
    const seen = new SqliteSeen(path);
    // A registry without a log leaves nothing behind.
    if (existsSync(path)) seen.opened();
    return seen;
  }

  async head(): Promise<SeenHead | undefined> {
    return headOf(this.value(HEAD));
  }

  async keep(head: SeenHead): Promise<void> {
    this.put([[HEAD, bytesOf(head)]]);
  }

  async replace(gone: SeenHead, head: SeenHead): Promise<void> {
    this.put([goneHead(gone), [HEAD, bytesOf(head)]]);
  }

  async tile(number: number): Promise<Buffer | undefined> {
    return this.value(tileName(number));
  }

  async keepTiles(tiles: ReadonlyMap<number, Buffer>): Promise<void> {
    this.put(Array.from(tiles, ([number, hashes]) => [tileName(number), hashes]));
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

  private value(name: string): Buffer | undefined {
    const select = this.database?.prepare(`SELECT value FROM ${TABLE} WHERE name = ?`);
    return select?.pluck().get(name) as Buffer | undefined;
  }

  private put(values: readonly [string, Buffer][]): void {
    namingFile(this.path, 'written', () => {
      const database = this.opened();
      const replace = database.prepare(`REPLACE INTO ${TABLE} VALUES (?, ?)`);
      database.transaction(() => {
        for (const value of values) replace.run(...value);
      })();
    });
  }
}

/** In a table beside those of the copy. */
class MysqlSeen implements SeenLog {
  private constructor(
    private readonly connection: Connection,
    private isThere: boolean,
  ) {}

  static async open(target: ServerTarget): Promise<MysqlSeen> {
    const connection = await connect(target);
    try {
      const sql =
        'SELECT column_name AS name FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = ?';
      const [found] = await connection.query<RowDataPacket[]>(sql, [TABLE]);
      const names = (found as { name: string }[]).map(({ name }) => name);
      checkOurs(names, shownTarget(target));
      return new MysqlSeen(connection, names.length > 0);
    } catch (error) {
      connection.destroy();
      throw error;
    }
  }

  async head(): Promise<SeenHead | undefined> {
    return headOf(await this.value(HEAD));
  }

  async keep(head: SeenHead): Promise<void> {
    await this.put([[HEAD, bytesOf(head)]]);
  }

  async replace(gone: SeenHead, head: SeenHead): Promise<void> {
    await this.put([goneHead(gone), [HEAD, bytesOf(head)]]);
  }

  tile(number: number): Promise<Buffer | undefined> {
    return this.value(tileName(number));
  }

  async keepTiles(tiles: ReadonlyMap<number, Buffer>): Promise<void> {
    await this.put(Array.from(tiles, ([number, hashes]) => [tileName(number), hashes]));
  }

  async close(): Promise<void> {
    await this.connection.end().catch(() => this.connection.destroy());
  }

  private async value(name: string): Promise<Buffer | undefined> {
    if (!this.isThere) return undefined;
    const [rows] = await this.connection.query<RowDataPacket[]>(`SELECT value FROM ${TABLE} WHERE name = ?`, [name]);
    return (rows as { value: Buffer }[])[0]?.value;
  }

  /** In one statement. */
  private async put(values: [string, Buffer][]): Promise<void> {
    if (values.length === 0) return;
    if (!this.isThere)
      await this.connection.query(`CREATE TABLE IF NOT EXISTS ${TABLE} (
        name VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY, value LONGBLOB NOT NULL
      ) ENGINE = InnoDB`);
    this.isThere = true;
    await this.connection.query(`REPLACE INTO ${TABLE} (name, value) VALUES ?`, [values]);
  }
}

function checkOurs(found: readonly string[], shown: string): void {
  if (found.length === 0 || COLUMNS.every((column) => found.includes(column))) return;
  throw new SyncError(`${shown} holds a table "${TABLE}" that is not of registry-sync. Nothing was changed`);
}

function headOf(value: Buffer | undefined): SeenHead | undefined {
  return value === undefined ? undefined : (JSON.parse(value.toString()) as SeenHead);
}

function bytesOf(head: SeenHead): Buffer {
  return Buffer.from(JSON.stringify(head));
}

/** Its name is short enough for a column, and another one for each checkpoint. */
function goneHead(head: SeenHead): [string, Buffer] {
  return [`gone/${hash('sha256', head.note, 'hex').slice(0, GONE_DIGITS)}`, bytesOf(head)];
}

function tileName(number: number): string {
  return `tile/${number}`;
}
