import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import Sqlite from 'embedded-sqlite';
import { SyncError } from '../sync-error.js';
import { serverDatabase } from './server-database.js';
import type { SqlDatabase } from './sql-database.js';
import { SqliteDatabase } from './sqlite-database.js';
import { isServer, type Target } from './target.js';

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

/**
 * Opens it, and makes it where there is none.
 * @param forgets what it is to keep is forgotten at its end: for a verification that changes nothing
 * @throws SyncError for a table of that name that is somebody else's
 */
export async function openSeenLog(target: Target, forgets = false): Promise<SeenLog> {
  const kept = new SeenTable(() => connectTo(target));
  // A registry without a log leaves nothing behind.
  if (isServer(target) || existsSync(fileOf(target))) await kept.open();
  if (!forgets) return new KeptSeen(kept);
  // Without a path it is a file that SQLite removes.
  return new KeptSeen(new SeenTable(async () => new SqliteDatabase('', new Sqlite(''))), kept);
}

async function connectTo(target: Target): Promise<SqlDatabase> {
  if (isServer(target)) return serverDatabase(target).connect(target);
  return new SqliteDatabase(fileOf(target), new Sqlite(fileOf(target)));
}

/** A file of its own, also beside a copy in SQLite: a copy that is made anew does not take it along. */
function fileOf({ path }: { path: string }): string {
  return `${path}.log-seen.sqlite`;
}

class KeptSeen implements SeenLog {
  /** @param before what was kept, where `table` has only what comes now */
  constructor(
    private readonly table: SeenTable,
    private readonly before?: SeenTable,
  ) {}

  async head(): Promise<SeenHead | undefined> {
    const value = await this.find(HEAD);
    return value === undefined ? undefined : (JSON.parse(value.toString()) as SeenHead);
  }

  keep(head: SeenHead): Promise<void> {
    return this.table.put([[HEAD, bytesOf(head)]]);
  }

  replace(gone: SeenHead, head: SeenHead): Promise<void> {
    return this.table.put([
      [goneName(gone), bytesOf(gone)],
      [HEAD, bytesOf(head)],
    ]);
  }

  tile(number: number): Promise<Buffer | undefined> {
    return this.find(tileName(number));
  }

  keepTiles(tiles: ReadonlyMap<number, Buffer>): Promise<void> {
    return this.table.put(Array.from(tiles, ([number, hashes]) => [tileName(number), hashes]));
  }

  async close(): Promise<void> {
    await this.table.close();
    await this.before?.close();
  }

  private async find(name: string): Promise<Buffer | undefined> {
    return (await this.table.find(name)) ?? this.before?.find(name);
  }
}

/** Values by their names, in a table that is made with the first of them. */
class SeenTable {
  private database: SqlDatabase | undefined;
  private isThere = false;

  constructor(private readonly connect: () => Promise<SqlDatabase>) {}

  /** @throws SyncError for a table of that name that is somebody else's */
  async open(): Promise<SqlDatabase> {
    this.database ??= await this.connect();
    const { shown } = this.database;
    const found = (await this.database.columns()).filter(({ table }) => table === TABLE).map(({ column }) => column);
    this.isThere = found.length > 0;
    if (!this.isThere || COLUMNS.every((column) => found.includes(column))) return this.database;
    await this.close();
    throw new SyncError(`${shown} holds a table "${TABLE}" that is not of registry-sync. Nothing was changed`);
  }

  async find(name: string): Promise<Buffer | undefined> {
    if (this.database === undefined || !this.isThere) return undefined;
    const [row] = await this.database.all<{ value: Buffer }>(`SELECT value FROM ${TABLE} WHERE name = ?`, name);
    return row?.value;
  }

  /** All of them, or none. */
  async put(values: [string, Buffer][]): Promise<void> {
    if (values.length === 0) return;
    const database = this.database ?? (await this.open());
    const { text, bytes, end } = database.types;
    if (!this.isThere)
      await database.transaction(() =>
        database.run(`CREATE TABLE ${TABLE} (name ${text(32)} NOT NULL PRIMARY KEY, value ${bytes} NOT NULL)${end}`),
      );
    this.isThere = true;
    await database.transaction(() => database.replace(TABLE, COLUMNS, values));
  }

  async close(): Promise<void> {
    await this.database?.close();
  }
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
