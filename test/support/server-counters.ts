import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { installMariaDb } from './install-mariadb.js';
import { findServerBinary, type PrivateServer, startPrivateServer } from './private-server.js';

/** What a server counts by itself. Source: SHOW GLOBAL STATUS of MariaDB and MySQL. */
export interface Counts {
  /** Statements that clients had run, prepared ones too. */
  statements: number;
  /** Statements that were sent to be prepared. */
  prepared: number;
  /** Rows, and entries of an index, that the storage engines were asked for. */
  rowsRead: number;
  temporaryTables: number;
  /** Transactions in the binary log, and how often it was synced for some of them together. */
  commits: number;
  syncs: number;
}

const COUNTED: Record<keyof Counts, RegExp> = {
  statements: /^Questions$/,
  prepared: /^Com_stmt_prepare$/,
  rowsRead: /^Handler_read_/,
  temporaryTables: /^Created_tmp_tables$/,
  commits: /^Binlog_commits$/,
  syncs: /^Binlog_group_commits$/,
};

/** A durable server of a test's own, whose counters tell of nobody else. */
export class CountingServer {
  /** What asking for the counters costs by itself: the server reads its own table of them. */
  private ofAsking: Counts | undefined;

  private constructor(
    private readonly server: PrivateServer,
    private readonly operator: Connection,
    /** DATABASE_URL of an empty database. */
    readonly url: string,
  ) {}

  static async start(): Promise<CountingServer> {
    if (findServerBinary() === undefined) await installMariaDb();
    const server = await startPrivateServer(findServerBinary() ?? 'mariadbd');
    const operator = await createConnection(server.url);
    await operator.query('CREATE DATABASE registry CHARACTER SET utf8mb4');
    const url = new URL(server.url);
    url.pathname = 'registry';
    return new CountingServer(server, operator, url.href);
  }

  /** What the server counts while `work` runs; what the service does by itself meanwhile is among it. */
  async during(work: () => Promise<unknown>): Promise<Counts> {
    this.ofAsking ??= await this.difference(() => Promise.resolve());
    const counts = await this.difference(work);
    return combine(counts, this.ofAsking, (all, asking) => all - asking);
  }

  private async difference(work: () => Promise<unknown>): Promise<Counts> {
    const before = await this.counts();
    await work();
    return combine(await this.counts(), before, (after, earlier) => after - earlier);
  }

  async stop(): Promise<void> {
    await this.operator.end();
    await this.server.stop();
  }

  private async counts(): Promise<Counts> {
    const [rows] =
      await this.operator.query<(RowDataPacket & { Variable_name: string; Value: string })[]>('SHOW GLOBAL STATUS');
    const sum = (pattern: RegExp): number =>
      rows.filter((row) => pattern.test(row.Variable_name)).reduce((total, row) => total + Number(row.Value), 0);
    const names = Object.entries(COUNTED);
    return Object.fromEntries(names.map(([name, pattern]) => [name, sum(pattern)])) as unknown as Counts;
  }
}

function combine(one: Counts, other: Counts, how: (one: number, other: number) => number): Counts {
  const names = Object.keys(COUNTED) as (keyof Counts)[];
  return Object.fromEntries(names.map((name) => [name, how(one[name], other[name])])) as unknown as Counts;
}
