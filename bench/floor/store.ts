import Sqlite from 'embedded-sqlite';
import { createPool } from 'mysql2';

/** A new row without the columns that are the same in all rows. */
export interface NewRow {
  id: string;
  assetId: string;
  owner: string;
  tokenDigest: string;
  body: string;
  us: number;
}

/** Runs a prepared statement. @returns its rows, each with the values of its columns */
type Run = <Row extends unknown[]>(sql: string, ...values: (string | number)[]) => Promise<Row[]>;

const INSERT = `INSERT INTO asset
  (id, asset_id, asset_type, status, owner, token_digest, body, version, created_us, modified_us)
  VALUES (?, ?, 'basic', 'draft', ?, ?, ?, 1, ?, ?)`;
const UPDATE = `UPDATE asset SET body = ?, modified_us = ?, version = version + 1,
  feed_us = CASE status WHEN 'draft' THEN NULL ELSE ? END WHERE id = ?`;
const PAGE = 'feed_us FROM asset WHERE feed_us > ? ORDER BY feed_us LIMIT ?';
const LAST_NUMBER =
  'SELECT asset_id FROM asset WHERE asset_id LIKE ? ORDER BY LENGTH(asset_id) DESC, asset_id DESC LIMIT 1';

/** The floor's statements; each is its own transaction. */
export class Store {
  private constructor(
    private readonly run: Run,
    readonly close: () => void,
  ) {}

  /** @param connections size of the pool on a server */
  static open(databaseUrl: string, connections: number): Store {
    return databaseUrl.startsWith('sqlite:')
      ? Store.onSqlite(databaseUrl.slice('sqlite:'.length))
      : Store.onMysql(databaseUrl, connections);
  }

  private static onMysql(uri: string, connectionLimit: number): Store {
    const pool = createPool({ uri, connectionLimit, charset: 'UTF8MB4_BIN', rowsAsArray: true });
    // The driver's own promises capture a stack trace for each query.
    const run: Run = (sql, ...values) =>
      new Promise((resolve, reject) => {
        pool.execute(sql, values, (error, rows) => (error ? reject(error) : resolve(rows as unknown as never[])));
      });
    return new Store(run, () => pool.end());
  }

  private static onSqlite(path: string): Store {
    const database = new Sqlite(path);
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = FULL');
    const prepared = new Map<string, Sqlite.Statement>();
    const run: Run = async (sql, ...values) => {
      let statement = prepared.get(sql);
      if (statement === undefined) {
        statement = database.prepare(sql);
        prepared.set(sql, statement.reader ? statement.raw() : statement);
      }
      if (statement.reader) return statement.all(...values) as never[];
      statement.run(...values);
      return [];
    };
    return new Store(run, () => database.close());
  }

  async findBody(id: string): Promise<string | undefined> {
    return (await this.run<[string]>('SELECT body FROM asset WHERE id = ?', id))[0]?.[0];
  }

  async find(id: string): Promise<{ body: string; owner: string; tokenDigest: string; status: string } | undefined> {
    const sql = 'SELECT body, owner, token_digest, status FROM asset WHERE id = ?';
    const [row] = await this.run<[string, string, string, string]>(sql, id);
    return row && { body: row[0], owner: row[1], tokenDigest: row[2], status: row[3] };
  }

  /** @param whole return bodies instead of ids @param afterUs microseconds, as in the rows */
  page(whole: boolean, afterUs: number, limit: number): Promise<[idOrBody: string, us: number][]> {
    return this.run(`SELECT ${whole ? 'body' : 'id'}, ${PAGE}`, afterUs, limit);
  }

  async insert({ id, assetId, owner, tokenDigest, body, us }: NewRow): Promise<void> {
    await this.run(INSERT, id, assetId, owner, tokenDigest, body, us, us);
  }

  async update(id: string, body: string, us: number): Promise<void> {
    await this.run(UPDATE, body, us, us, id);
  }

  async accounts(): Promise<Map<string, string>> {
    return new Map(await this.run<[string, string]>('SELECT digest, account FROM own_key'));
  }

  /** The highest number among a day's assetIDs. @param prefix such as `UA-2026-11-21-` */
  async lastNumber(prefix: string): Promise<number> {
    const [row] = await this.run<[string]>(LAST_NUMBER, `${prefix}%`);
    return Number(row?.[0].slice(prefix.length) ?? 0);
  }
}
