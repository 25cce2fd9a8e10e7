import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { isMariaDb, takeServerProgram } from '../../scripts/machine/server-program.js';
import { type PrivateServer, startPrivateServer } from './private-server.js';

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
  connections: number;
  /** Those that went without taking leave, of each of which MariaDB writes a warning into its log. */
  abandoned: number;
}

const COUNTED: Record<keyof Counts, RegExp> = {
  statements: /^Questions$/,
  prepared: /^Com_stmt_prepare$/,
  rowsRead: /^Handler_read_/,
  temporaryTables: /^Created_tmp_tables$/,
  commits: /^Binlog_commits$/,
  syncs: /^Binlog_group_commits$/,
  connections: /^Connections$/,
  abandoned: /^Aborted_clients$/,
};

/** MySQL counts neither commits nor syncs of its binary log, but the statements COMMIT. */
const COUNTED_BY_MYSQL = { ...COUNTED, commits: /^Com_commit$/ };

/** A durable server of a test's own, whose counters tell of nobody else. */
export class CountingServer {
  private constructor(
    private readonly server: PrivateServer,
    private readonly operator: Connection,
    /** What asking for the counters costs by itself: the server reads its own table of them. */
    private readonly ofAsking: Counts,
    /** DATABASE_URL of an empty database. */
    readonly url: string,
    readonly countsSyncs: boolean,
  ) {}

  static async start(): Promise<CountingServer> {
    const program = await takeServerProgram();
    const countsSyncs = isMariaDb(program);
    const server = await startPrivateServer(program);
    const operator = await createConnection(server.url);
    await operator.query('CREATE DATABASE registry CHARACTER SET utf8mb4');
    const url = new URL(server.url);
    url.pathname = 'registry';
    // Now, while nobody else is connected: what anybody did meanwhile would be taken for a part of it, and later taken off.
    const ofAsking = await difference(operator, countsSyncs, () => Promise.resolve());
    return new CountingServer(server, operator, ofAsking, url.href, countsSyncs);
  }

  /** What the server counts while `work` runs; what the service does by itself meanwhile is among it. */
  async during(work: () => Promise<unknown>): Promise<Counts> {
    const counts = await difference(this.operator, this.countsSyncs, work);
    return combine(counts, this.ofAsking, (all, asking) => all - asking);
  }

  async stop(): Promise<void> {
    await this.operator.end();
    await this.server.stop();
  }
}

async function difference(operator: Connection, countsSyncs: boolean, work: () => Promise<unknown>): Promise<Counts> {
  const counted = countsSyncs ? COUNTED : COUNTED_BY_MYSQL;
  const before = await countsOf(operator, counted);
  await work();
  return combine(await countsOf(operator, counted), before, (after, earlier) => after - earlier);
}

async function countsOf(operator: Connection, counted: typeof COUNTED): Promise<Counts> {
  const [rows] =
    await operator.query<(RowDataPacket & { Variable_name: string; Value: string })[]>('SHOW GLOBAL STATUS');
  const sum = (pattern: RegExp): number =>
    rows.filter((row) => pattern.test(row.Variable_name)).reduce((total, row) => total + Number(row.Value), 0);
  const names = Object.entries(counted);
  return Object.fromEntries(names.map(([name, pattern]) => [name, sum(pattern)])) as unknown as Counts;
}

function combine(one: Counts, other: Counts, how: (one: number, other: number) => number): Counts {
  const names = Object.keys(COUNTED) as (keyof Counts)[];
  return Object.fromEntries(names.map((name) => [name, how(one[name], other[name])])) as unknown as Counts;
}
