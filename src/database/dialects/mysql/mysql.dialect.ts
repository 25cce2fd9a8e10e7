import type { DataSource } from 'typeorm';
import type { StatementRunner } from '../statement-runner.js';
import { TIME_BUDGETS_MS } from '../../../config/time-budgets.js';
import {
  type Connections,
  type SessionSide,
  DatabaseUnusableError,
  type Dialect,
  type DriverConnection,
  type DurabilitySettings,
  MIGRATIONS_TABLE,
} from '../dialect.js';
import { APPLIED_SQL, type Contents, FOREIGN, isForeign } from '../foreign.js';
import { MysqlConnection } from './mysql-connection.js';
import { failureOf, isServerReadOnly, refusalOf, troubleOf } from './mysql-errors.js';
import {
  checkSettings,
  isMariaDb,
  LEAST_PACKET,
  type ServerSettings,
  SETTINGS_SQL,
  statementBytes,
} from './mysql-settings.js';

/** The server is told in seconds. */
const LOCK_S = TIME_BUDGETS_MS.lockOnServer / 1_000;
const STATEMENT_S = TIME_BUDGETS_MS.statementOnServer / 1_000;
/** A statement has one row to so many, or a multiple of them: these few are kept prepared, and two of them make any batch. */
const ROWS_A_STEP = 8;

/** The driver tells of its pool in no other way. */
type PoolQueues = Record<'_allConnections' | '_freeConnections' | '_connectionQueue', { length: number }>;

/** A variable that MariaDB alone has, whatever a server calls itself: its views are torn, which must not be overlooked. */
const OF_MARIADB = 'aria_block_size';

interface Variable {
  Variable_name: string;
  Value: string;
}

/** MySQL 8 and MariaDB 10.6 and later; which of the two is found out by asking. */
export class MysqlDialect implements Dialect {
  private server: 'MariaDB' | 'MySQL' | undefined;
  private statementBytes = statementBytes(LEAST_PACKET);

  /** @param isPlain whether its connections are not encrypted */
  constructor(private readonly isPlain = true) {}

  readonly failureOf = failureOf;
  readonly troubleOf = troubleOf;
  readonly isServerReadOnly = isServerReadOnly;
  readonly migratesAtStart = false;
  readonly beginSql = ['START TRANSACTION'];
  readonly holdingSql = ['SET SESSION wait_timeout = 30'];
  readonly restingSql = ['SET SESSION wait_timeout = DEFAULT'];
  // So a batch needs no statement to begin with.
  readonly laneSql = ['SET SESSION autocommit = 0'];
  readonly forUpdateSql = 'FOR UPDATE';
  readonly forUpdateOfFreeSql = 'FOR UPDATE SKIP LOCKED';
  readonly readPointSql = 'SELECT last_us FROM feed_clock WHERE id = 1 LOCK IN SHARE MODE';

  // In UTC: of the hour that comes twice a local time says the wrong one.
  readonly clockSql = "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))";
  // Assigned from left to right: the bytes while the day is still the earlier one.
  readonly addBytesSql = `ON DUPLICATE KEY UPDATE
    bytes = IF(day < VALUES(day), 0, bytes) + VALUES(bytes), day = GREATEST(day, VALUES(day))`;

  readonly snapshotSql = [
    'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ',
    'START TRANSACTION WITH CONSISTENT SNAPSHOT',
  ];

  get name(): string {
    return this.server ?? 'MySQL';
  }

  get atomicViews(): boolean {
    return this.server === 'MySQL';
  }

  get mostStatementBytes(): number {
    return this.statementBytes;
  }

  emptySql(table: string): string[] {
    return ['SET SESSION foreign_key_checks = 0', `TRUNCATE TABLE ${table}`, 'SET SESSION foreign_key_checks = 1'];
  }

  connect(dataSource: DataSource, side: SessionSide): Promise<DriverConnection> {
    return MysqlConnection.acquire(dataSource, side);
  }

  insertSizes(rows: number): number[] {
    const rest = rows % ROWS_A_STEP;
    return [rows - rest, rest].filter((size) => size > 0);
  }

  /**
   * Its statistics may be older than the table's last million rows: with them it would sort the whole table for a page of the feed. And of the
   * rows of one asset it would go backwards through all, from the last one to where the page begins.
   */
  byIndexSql(index: string): string {
    return `FORCE INDEX (${index})`;
  }

  besideBodySql(): string {
    return '';
  }

  /**
   * CAST would copy each value: half of what a page of whole bodies takes the server. Not for a VARCHAR: in a UNION, MariaDB would cut what
   * comes of it at as many bytes as it may have characters.
   */
  bytesSql(column: string): string {
    return `CONVERT(${column} USING binary)`;
  }

  /** MariaDB before 11.6 creates databases with latin1, which cannot store every text: an empty one gets utf8mb4. */
  async beforeMigrations(dataSource: DataSource): Promise<void> {
    if (!dataSource.isInitialized) await dataSource.initialize();
    const contents = await contentsOf(dataSource);
    if (isForeign(contents)) throw new DatabaseUnusableError(`${String(dataSource.options.database)} ${FOREIGN}`);
    if (contents.tables.length === 0) await dataSource.query('ALTER DATABASE CHARACTER SET utf8mb4');
  }

  /** In brackets it is read as it is sent; as a table, it would be kept in a temporary one first. */
  limitedPartSql(select: string): string {
    return `(${select})`;
  }

  overwriteSql(columns: readonly string[]): string {
    return `ON DUPLICATE KEY UPDATE ${columns.map((column) => `${column} = VALUES(${column})`).join(', ')}`;
  }

  async advanceClock(session: StatementRunner, candidateUs: number, count: number): Promise<number> {
    const result = await session.execute(
      'UPDATE feed_clock SET last_us = LAST_INSERT_ID(GREATEST(last_us + 1, ?) + ? - 1) WHERE id = 1',
      [BigInt(candidateUs), BigInt(count)],
    );
    return Number(result.insertId);
  }

  async takeNumbers(session: StatementRunner, day: string, count: number): Promise<number> {
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
    this.statementBytes = statementBytes(Number(settings?.packet));
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
    if (side === 'copier') {
      return [
        `innodb_lock_wait_timeout = ${LOCK_S}`,
        // What it reads of one moment may wait long for who takes it; what it writes, such as an erasure, is bounded by `holdingSql`.
        this.server === 'MariaDB' ? 'max_statement_time = 0' : 'max_execution_time = 0',
      ];
    }
    if (this.server === 'MariaDB') {
      // Of those that have written alone there is a bound as well: it leaves out who has only locked what it read.
      return [
        `innodb_lock_wait_timeout = ${LOCK_S}`,
        `lock_wait_timeout = ${LOCK_S}`,
        `max_statement_time = ${STATEMENT_S}`,
        'idle_transaction_timeout = 5',
      ];
    }
    const writer = side !== 'reader' ? ['wait_timeout = 5'] : [];
    return [
      `innodb_lock_wait_timeout = ${LOCK_S}`,
      `lock_wait_timeout = ${LOCK_S}`,
      `max_execution_time = ${TIME_BUDGETS_MS.statementOnServer}`,
      ...writer,
    ];
  }

  fileOf(): undefined {
    return undefined;
  }

  freeDisk(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  connections(dataSource: DataSource): Connections {
    const { pool } = dataSource.driver as unknown as { pool: PoolQueues };
    const open = pool._allConnections.length;
    return { open, inUse: open - pool._freeConnections.length, waiting: pool._connectionQueue.length };
  }

  async readDurability(session: StatementRunner): Promise<DurabilitySettings> {
    const [row] = await session.query<Record<'log_bin' | 'sync_binlog' | 'flush', unknown>>(
      'SELECT @@log_bin AS log_bin, @@sync_binlog AS sync_binlog, @@innodb_flush_log_at_trx_commit AS flush',
    );
    return judgeDurability(Number(row?.log_bin), Number(row?.sync_binlog), Number(row?.flush));
  }

  refusalOf(error: unknown): string | undefined {
    return refusalOf(error, this.isPlain);
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
    return { needsBarrier: false, strict: true, told: 'strict', warning: undefined };
  const advice = 'set innodb_flush_log_at_trx_commit=1, log_bin and sync_binlog=1';
  if (flush === 1 && logBin === 0) {
    const told = 'strict by the read barrier: the binary log is off';
    return {
      needsBarrier: true,
      strict: true,
      told,
      warning: `Reads wait for commits to be durable, as the binary log is off; to spare them that, ${advice}`,
    };
  }
  const told = 'not strict: a power loss may take back what readers have seen';
  return { needsBarrier: false, strict: false, told, warning: `Durability is ${told}; ${advice}` };
}
