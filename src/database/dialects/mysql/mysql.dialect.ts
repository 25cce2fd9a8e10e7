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
import { APPLIED_SQL, type Contents, FOREIGN_MESSAGE, isForeign } from '../foreign-schema.js';
import { MysqlConnection } from './mysql-connection.js';
import { classifyFailure, describeRefusal, describeFailure } from './mysql-errors.js';
import { checkSettings, isMariaDb, type ServerSettings, SETTINGS_SQL } from './mysql-settings.js';

const LOCK_S = TIME_BUDGETS_MS.lockOnServer / 1_000;
const STATEMENT_S = TIME_BUDGETS_MS.statementOnServer / 1_000;
/** A variable that only MariaDB has: recognises it even if its version string does not name it, because its read views are not atomic. */
const MARIADB_VARIABLE = 'aria_block_size';

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
  // UTC, because local time is ambiguous when daylight saving ends.
  clock: "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))",
  // Not CAST, which copies each value and doubles the server's work for a page. Don't use it for a VARCHAR(n): in a UNION, MariaDB truncates it
  // to n bytes.
  bytes: (column) => `CONVERT(${column} USING binary)`,
  // With outdated statistics a server would sort the whole table for a page of the feed, and read all revisions of an asset.
  forceIndex: (index) => `FORCE INDEX (${index})`,
  coveringIndex: () => '',
  // Parentheses stream the rows; a derived table would be materialised first.
  unionPart: (select) => `(${select})`,
  onConflict: () => 'ON DUPLICATE KEY UPDATE',
  incoming: (column) => `VALUES(${column})`,
  truncate: (table) => [
    'SET SESSION foreign_key_checks = 0',
    `TRUNCATE TABLE ${table}`,
    'SET SESSION foreign_key_checks = 1',
  ],
};

/** MySQL 8, and MariaDB 10.6 or later. `prepare` asks the server which of the two it is. */
export class MysqlDialect implements Dialect {
  private server: 'MariaDB' | 'MySQL' | undefined;

  /** @param isUnencrypted whether connections are unencrypted */
  constructor(private readonly isUnencrypted = true) {}

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

  /** Sets utf8mb4 on an empty database: MariaDB before 11.6 creates databases with latin1, which cannot store every text. */
  async beforeMigrations(dataSource: DataSource): Promise<void> {
    if (!dataSource.isInitialized) await dataSource.initialize();
    const contents = await contentsOf(dataSource);
    if (isForeign(contents))
      throw new DatabaseUnusableError(`${String(dataSource.options.database)} ${FOREIGN_MESSAGE}`);
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
      `SHOW SESSION VARIABLES WHERE Variable_name IN ('wsrep_on', '${MARIADB_VARIABLE}')`,
    );
    const valueOf = new Map(variables.map(({ Variable_name, Value }) => [Variable_name, Value]));
    this.server = isMariaDb(settings) || valueOf.has(MARIADB_VARIABLE) ? 'MariaDB' : 'MySQL';
    await session.query('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE');
    // Galera: the node applies the commits of other nodes before each statement.
    if (valueOf.get('wsrep_on') === 'ON') await session.query('SET SESSION wsrep_sync_wait = 7');
    await session.query(`SET SESSION ${this.limits(side).join(', SESSION ')}`);
  }

  /** Limits that the server enforces: on statements, lock waits, and idle transactions of a frozen process. */
  private limits(side: SessionSide): string[] {
    const onMariaDb = this.server === 'MariaDB';
    const lock = `innodb_lock_wait_timeout = ${LOCK_S}`;
    // A copier's snapshot may be idle for long while its consumer works; `limitIdleTime` covers its writes, such as an erasure.
    if (side === 'copier') return [lock, onMariaDb ? 'max_statement_time = 0' : 'max_execution_time = 0'];
    const bounds = [lock, `lock_wait_timeout = ${LOCK_S}`];
    if (onMariaDb) {
      // Not idle_write_transaction_timeout, which ignores a transaction that has only locked rows.
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
    return describeRefusal(error, this.isUnencrypted);
  }
}

async function contentsOf(dataSource: DataSource): Promise<Contents> {
  const namesBy = async (sql: string): Promise<string[]> => {
    const rows: { name: string }[] = await dataSource.query(sql);
    return rows.map(({ name }) => name);
  };
  const inThisDatabase = 'WHERE table_schema = DATABASE()';
  const tables = await namesBy(`SELECT table_name AS name FROM information_schema.tables ${inThisDatabase}`);
  const columns = await namesBy(
    `SELECT column_name AS name FROM information_schema.columns ${inThisDatabase} AND table_name = '${MIGRATIONS_TABLE}'`,
  );
  return { tables, applied: columns.includes('name') ? await namesBy(APPLIED_SQL) : undefined };
}

/**
 * With a synced binary log, a commit is durable before it is visible. Without the log it is visible first, and durable once it or any later
 * commit ends. With other settings a power loss may lose data that readers have seen.
 */
export function judgeDurability(logBin: number, syncBinlog: number, flush: number): DurabilitySettings {
  if (flush === 1 && logBin === 1 && syncBinlog === 1)
    return { needsBarrier: false, strict: true, summary: 'strict', warning: undefined };
  const advice = 'set innodb_flush_log_at_trx_commit=1, log_bin and sync_binlog=1';
  if (flush === 1 && logBin === 0) {
    const summary = 'strict by the read barrier: the binary log is off';
    return {
      needsBarrier: true,
      strict: true,
      summary,
      warning: `Reads wait until commits are durable, because the binary log is off; to avoid the wait, ${advice}`,
    };
  }
  const summary = 'not strict: a power loss may undo changes that readers have seen';
  return { needsBarrier: false, strict: false, summary, warning: `Durability is ${summary}; ${advice}` };
}
