import type { DataSource } from 'typeorm';
import type { StatementRunner } from '../statement-runner.js';
import { TIME_BUDGETS_MS } from '../../../platform/config/time-budgets.js';
import {
  type SessionSide,
  DatabaseUnusableError,
  type Dialect,
  type DriverConnection,
  type DurabilitySettings,
  MIGRATIONS_TABLE,
  type SqlForms,
} from '../dialect.js';
import { APPLIED_SQL, type Contents, FOREIGN, isForeign } from '../foreign-schema.js';
import { MysqlConnection } from './mysql-connection.js';
import { classifyFailure, describeRefusal, describeFailure } from './mysql-errors.js';
import { checkSettings, isMariaDb, type ServerSettings, SETTINGS_SQL } from './mysql-settings.js';

const LOCK_S = TIME_BUDGETS_MS.lockOnServer / 1_000;
const STATEMENT_S = TIME_BUDGETS_MS.statementOnServer / 1_000;
/** A variable that MariaDB alone has, whatever a server calls itself: its views are torn, which must not be overlooked. */
const OF_MARIADB = 'aria_block_size';

interface Variable {
  Variable_name: string;
  Value: string;
}

const SQL: SqlForms = {
  begin: 'START TRANSACTION',
  limitIdleTime: ['SET SESSION wait_timeout = 30'],
  restoreIdleTime: ['SET SESSION wait_timeout = DEFAULT'],
  snapshot: ['SET TRANSACTION ISOLATION LEVEL REPEATABLE READ', 'START TRANSACTION WITH CONSISTENT SNAPSHOT'],
  forUpdate: 'FOR UPDATE',
  forUpdateSkipLocked: 'FOR UPDATE SKIP LOCKED',
  forShare: 'LOCK IN SHARE MODE',
  // In UTC, because in the hour that comes twice the local time is ambiguous.
  clock: "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))",
  // Not CAST, which copies each value: half of the server's work for a page of whole bodies. Not for a VARCHAR: in a UNION, MariaDB would
  // cut it at as many bytes as it may have characters.
  bytes: (column) => `CONVERT(${column} USING binary)`,
  // The statistics may be older than the last million rows: with them a server would sort the whole table for a page of the feed, and
  // read all rows of one asset back from the last one.
  forceIndex: (index) => `FORCE INDEX (${index})`,
  coveringIndex: () => '',
  // In brackets it is read as it is sent; as a table, it would be kept in a temporary one first.
  unionPart: (select) => `(${select})`,
  onConflict: () => 'ON DUPLICATE KEY UPDATE',
  incoming: (column) => `VALUES(${column})`,
  truncate: (table) => [
    'SET SESSION foreign_key_checks = 0',
    `TRUNCATE TABLE ${table}`,
    'SET SESSION foreign_key_checks = 1',
  ],
};

/** MySQL 8 and MariaDB 10.6 and later; which of the two is found out by asking. */
export class MysqlDialect implements Dialect {
  private server: 'MariaDB' | 'MySQL' | undefined;

  /** @param isPlain whether its connections are not encrypted */
  constructor(private readonly isPlain = true) {}

  readonly sql = SQL;
  readonly classifyFailure = classifyFailure;
  readonly describeFailure = describeFailure;

  get name(): string {
    return this.server ?? 'MySQL';
  }

  get atomicViews(): boolean {
    return this.server === 'MySQL';
  }

  connect(dataSource: DataSource, side: SessionSide): Promise<DriverConnection> {
    return MysqlConnection.acquire(dataSource, side);
  }

  /** MariaDB before 11.6 creates databases with latin1, which cannot store every text: an empty one gets utf8mb4. */
  async beforeMigrations(dataSource: DataSource): Promise<void> {
    if (!dataSource.isInitialized) await dataSource.initialize();
    const contents = await contentsOf(dataSource);
    if (isForeign(contents)) throw new DatabaseUnusableError(`${String(dataSource.options.database)} ${FOREIGN}`);
    if (contents.tables.length === 0) await dataSource.query('ALTER DATABASE CHARACTER SET utf8mb4');
  }

  async advanceClock(session: StatementRunner, candidateUs: number, count: number): Promise<number> {
    const result = await session.execute(
      'UPDATE feed_clock SET last_us = LAST_INSERT_ID(GREATEST(last_us + 1, ?) + ? - 1) WHERE id = 1',
      [BigInt(candidateUs), BigInt(count)],
    );
    return Number(result.insertId);
  }

  async allocateNumbers(session: StatementRunner, day: string, count: number): Promise<number> {
    const result = await session.execute(
      `INSERT INTO asset_sequence (day, last_number) VALUES (?, LAST_INSERT_ID(?))
       ON DUPLICATE KEY UPDATE last_number = LAST_INSERT_ID(last_number + ?)`,
      [day, BigInt(count), BigInt(count)],
    );
    return Number(result.insertId);
  }

  async prepare(session: StatementRunner, side: SessionSide): Promise<void> {
    const [settings] = await session.query<ServerSettings>(SETTINGS_SQL);
    checkSettings(settings as ServerSettings);
    const variables = await session.query<Variable>(
      `SHOW SESSION VARIABLES WHERE Variable_name IN ('wsrep_on', '${OF_MARIADB}')`,
    );
    const valueOf = new Map(variables.map(({ Variable_name, Value }) => [Variable_name, Value]));
    this.server = isMariaDb(settings) || valueOf.has(OF_MARIADB) ? 'MariaDB' : 'MySQL';
    await session.query('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE');
    // A node of a cluster answers when it has applied what the others had committed before.
    if (valueOf.get('wsrep_on') === 'ON') await session.query('SET SESSION wsrep_sync_wait = 7');
    await session.query(`SET SESSION ${this.limits(side).join(', SESSION ')}`);
  }

  /** The server's own bounds: of a statement, of a wait, and of a frozen process that holds the clock, or assets. */
  private limits(side: SessionSide): string[] {
    const ofMariaDb = this.server === 'MariaDB';
    const lock = `innodb_lock_wait_timeout = ${LOCK_S}`;
    // What a copier reads of one moment may wait long for its consumer; what it writes, such as an erasure, `hold` bounds.
    if (side === 'copier') return [lock, ofMariaDb ? 'max_statement_time = 0' : 'max_execution_time = 0'];
    const bounds = [lock, `lock_wait_timeout = ${LOCK_S}`];
    if (ofMariaDb) {
      // Its bound for transactions that have written leaves out one that has only locked what it read.
      bounds.push(`max_statement_time = ${STATEMENT_S}`, 'idle_transaction_timeout = 5');
    } else {
      bounds.push(`max_execution_time = ${TIME_BUDGETS_MS.statementOnServer}`);
      if (side !== 'reader') bounds.push('wait_timeout = 5');
    }
    return side === 'lane' ? [...bounds, 'autocommit = 0'] : bounds;
  }

  async readDurability(session: StatementRunner): Promise<DurabilitySettings> {
    const [row] = await session.query<Record<'log_bin' | 'sync_binlog' | 'flush', unknown>>(
      'SELECT @@log_bin AS log_bin, @@sync_binlog AS sync_binlog, @@innodb_flush_log_at_trx_commit AS flush',
    );
    return judgeDurability(Number(row?.log_bin), Number(row?.sync_binlog), Number(row?.flush));
  }

  describeRefusal(error: unknown): string | undefined {
    return describeRefusal(error, this.isPlain);
  }
}

async function contentsOf(dataSource: DataSource): Promise<Contents> {
  const namesBy = async (sql: string): Promise<string[]> => {
    const rows: { name: string }[] = await dataSource.query(sql);
    return rows.map(({ name }) => name);
  };
  const ofDatabase = 'WHERE table_schema = DATABASE()';
  const tables = await namesBy(`SELECT table_name AS name FROM information_schema.tables ${ofDatabase}`);
  const columns = await namesBy(
    `SELECT column_name AS name FROM information_schema.columns ${ofDatabase} AND table_name = '${MIGRATIONS_TABLE}'`,
  );
  return { tables, applied: columns.includes('name') ? await namesBy(APPLIED_SQL) : undefined };
}

/**
 * With the binary log synced, a commit is durable before it is visible. Without the log it is visible first, and flushed by its own end or
 * by any later commit. Anything else can lose what readers have seen when the machine loses its power.
 */
export function judgeDurability(logBin: number, syncBinlog: number, flush: number): DurabilitySettings {
  if (flush === 1 && logBin === 1 && syncBinlog === 1)
    return { needsBarrier: false, strict: true, summary: 'strict', warning: undefined };
  const advice = 'set innodb_flush_log_at_trx_commit=1, log_bin and sync_binlog=1';
  if (flush === 1 && logBin === 0) {
    const told = 'strict by the read barrier: the binary log is off';
    return {
      needsBarrier: true,
      strict: true,
      summary: told,
      warning: `Reads wait for commits to be durable, as the binary log is off; to spare them that, ${advice}`,
    };
  }
  const told = 'not strict: a power loss may take back what readers have seen';
  return { needsBarrier: false, strict: false, summary: told, warning: `Durability is ${told}; ${advice}` };
}
