import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import Sqlite from 'embedded-sqlite';
import { SyncError } from '../sync-error.js';
import { serverDatabase } from './server-database.js';
import type { SqlDatabase } from './sql-database.js';
import { SqliteDatabase } from './sqlite-database.js';
import { isServer, type Target } from './target.js';

/** The newest verified checkpoint of a log. */
export interface VerifiedHead {
  origin: string;
  size: number;
  /** Base64. */
  root: string;
  /** The checkpoint with its signatures. */
  note: string;
  /** Verifier keys that are trusted from now on. */
  keys: string[];
}

/** The verified state of a log, stored next to a copy. */
export interface VerifiedLogStore {
  head(): Promise<VerifiedHead | undefined>;
  storeHead(head: VerifiedHead): Promise<void>;
  /** Stores a head after the registry has replaced its log, and archives the previous head with its signatures. */
  replace(replaced: VerifiedHead, head: VerifiedHead): Promise<void>;
  /** The hashes of a tile's entries. Those beyond the head's size are unverified. */
  tile(number: number): Promise<Buffer | undefined>;
  /** Stores all tiles atomically. */
  storeTiles(tiles: ReadonlyMap<number, Buffer>): Promise<void>;
  close(): Promise<void>;
}

const TABLE = 'asset_log_seen';
const COLUMNS = ['name', 'value'];
const HEAD = 'head';
const ARCHIVE_DIGITS = 24;

/**
 * Opens the store, and creates it if missing.
 * @param discardsWrites for a dry run
 * @throws SyncError if a table with its name is not ours
 */
export async function openLogStore(target: Target, discardsWrites = false): Promise<VerifiedLogStore> {
  const stored = new StoreTable(() => connectTo(target));
  // A missing file is created at the first write, so that none is left for a registry without a log.
  if (isServer(target) || existsSync(fileOf(target))) await stored.open();
  if (!discardsWrites) return new StoredLog(stored);
  // A temporary database, which SQLite deletes.
  return new StoredLog(new StoreTable(async () => new SqliteDatabase('', new Sqlite(''))), stored);
}

async function connectTo(target: Target): Promise<SqlDatabase> {
  if (isServer(target)) return serverDatabase(target).connect(target);
  return new SqliteDatabase(fileOf(target), new Sqlite(fileOf(target)));
}

/** A separate file, also for a copy in SQLite, so that it survives a resync. */
function fileOf({ path }: { path: string }): string {
  return `${path}.log-seen.sqlite`;
}

class StoredLog implements VerifiedLogStore {
  /** @param before the values stored earlier, if `table` has only new ones */
  constructor(
    private readonly table: StoreTable,
    private readonly before?: StoreTable,
  ) {}

  async head(): Promise<VerifiedHead | undefined> {
    const value = await this.find(HEAD);
    return value === undefined ? undefined : (JSON.parse(value.toString()) as VerifiedHead);
  }

  storeHead(head: VerifiedHead): Promise<void> {
    return this.table.put([[HEAD, bytesOf(head)]]);
  }

  replace(replaced: VerifiedHead, head: VerifiedHead): Promise<void> {
    return this.table.put([
      [archiveName(replaced), bytesOf(replaced)],
      [HEAD, bytesOf(head)],
    ]);
  }

  tile(number: number): Promise<Buffer | undefined> {
    return this.find(tileName(number));
  }

  storeTiles(tiles: ReadonlyMap<number, Buffer>): Promise<void> {
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

/** Values by name, in a table that is created with the first value. */
class StoreTable {
  private database: SqlDatabase | undefined;
  private exists = false;

  constructor(private readonly connect: () => Promise<SqlDatabase>) {}

  /** @throws SyncError if a table with its name is not ours */
  async open(): Promise<SqlDatabase> {
    this.database ??= await this.connect();
    const { shown } = this.database;
    const found = (await this.database.columns()).filter(({ table }) => table === TABLE).map(({ column }) => column);
    this.exists = found.length > 0;
    if (!this.exists || COLUMNS.every((column) => found.includes(column))) return this.database;
    await this.close();
    throw new SyncError(`${shown} has a table "${TABLE}" that is not of registry-sync. Nothing was changed`);
  }

  async find(name: string): Promise<Buffer | undefined> {
    if (this.database === undefined || !this.exists) return undefined;
    const [row] = await this.database.all<{ value: Buffer }>(`SELECT value FROM ${TABLE} WHERE name = ?`, name);
    return row?.value;
  }

  /** Stores all values atomically. */
  async put(values: [string, Buffer][]): Promise<void> {
    if (values.length === 0) return;
    const database = this.database ?? (await this.open());
    const { text, bytes, end } = database.types;
    if (!this.exists)
      await database.transaction(() =>
        database.run(`CREATE TABLE ${TABLE} (name ${text(32)} NOT NULL PRIMARY KEY, value ${bytes} NOT NULL)${end}`),
      );
    this.exists = true;
    await database.transaction(() => database.replace(TABLE, COLUMNS, values));
  }

  async close(): Promise<void> {
    await this.database?.close();
  }
}

function bytesOf(head: VerifiedHead): Buffer {
  return Buffer.from(JSON.stringify(head));
}

/** A short name that is unique for each checkpoint. */
function archiveName({ note }: VerifiedHead): string {
  return `gone/${hash('sha256', note, 'hex').slice(0, ARCHIVE_DIGITS)}`;
}

function tileName(number: number): string {
  return `tile/${number}`;
}
