import type { DataSource } from 'typeorm';
import { DeadlineError } from '../../deadline.js';
import type { Session } from '../../session.js';
import {
  type Connections,
  type DatabaseSide,
  type Dialect,
  type DriverConnection,
  DatabaseUnusableError,
  type DurabilitySettings,
  type Failure,
} from '../dialect.js';
import { codeOf, isLoginRefused, numberOf } from '../error-code.js';
import { MysqlConnection } from './mysql-connection.js';
import { refusalOf } from './mysql-refusal.js';
import {
  checkSettings,
  isMariaDb,
  LEAST_PACKET,
  type ServerSettings,
  settingsSql,
  statementBytes,
} from './mysql-settings.js';
import { mysqlTroubleOf } from './mysql-troubles.js';

/** A statement has one row to so many, or a multiple of them: these few are kept prepared, and two of them make any batch. */
const ROWS_A_STEP = 8;

/** Deadlock or certification failed, lock wait, snapshot too old: rolled back for certain. Prepared statement forgotten: not begun. */
const RETRIED = new Set([1213, 1205, 1020, 3101, 1243, 1615]);
/** Shutdown under way, connection killed, idle transaction or client cut off. */
const LOST = new Set([1053, 1927, 1317, 4031]);
/** Node outside of its cluster (also at COMMIT), too many connections. */
const AWAY = new Set([1047, 1180, 1040, 1203]);
/** Nobody, or this user, is let in for now: offline mode, a locked user, its limits, an expired password, TLS that is asked for. */
const CLOSED = new Set([3032, 3118, 4151, 1226, 1820, 1862, 3159]);
/** Read-only server, disk or table full, statement over its time, as when a backup holds all tables. */
const REFUSED = new Set([1290, 1792, 1836, 1021, 1114, 1026, 1969, 3024]);
const LOST_CODES = new Set([
  'PROTOCOL_CONNECTION_LOST',
  'PROTOCOL_ENQUEUE_AFTER_FATAL_ERROR',
  'PROTOCOL_SEQUENCE_TIMEOUT',
  'ECONNRESET',
  'EPIPE',
]);
const AWAY_CODES = new Set([
  'ECONNREFUSED',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
  'HANDSHAKE_NO_SSL_SUPPORT',
  'HANDSHAKE_SSL_ERROR',
]);

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

  readonly pagesInATurn = Infinity;
  readonly migratesAtStart = false;
  readonly beginSql = ['START TRANSACTION'];
  // So a batch needs no statement to begin with.
  readonly laneSql = ['SET SESSION autocommit = 0'];
  readonly laneBeginSql = [];
  readonly forUpdateSql = 'FOR UPDATE';
  readonly readPointSql = 'SELECT last_us FROM feed_clock WHERE id = 1 LOCK IN SHARE MODE';

  // In UTC: of the hour that comes twice a local time says the wrong one.
  readonly clockSql = "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))";
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

  connect(dataSource: DataSource, side: DatabaseSide): Promise<DriverConnection> {
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

  bytesSql(column: string): string {
    return `CAST(${column} AS BINARY)`;
  }

  /** In brackets it is read as it is sent; as a table, it would be kept in a temporary one first. */
  limitedPartSql(select: string): string {
    return `(${select})`;
  }

  overwriteSql(columns: readonly string[]): string {
    return `ON DUPLICATE KEY UPDATE ${columns.map((column) => `${column} = VALUES(${column})`).join(', ')}`;
  }

  async advanceClock(session: Session, candidateUs: number, count: number): Promise<number> {
    const result = await session.execute(
      'UPDATE feed_clock SET last_us = LAST_INSERT_ID(GREATEST(last_us + 1, ?) + ? - 1) WHERE id = 1',
      [BigInt(candidateUs), BigInt(count)],
    );
    return Number(result.insertId);
  }

  async takeNumbers(session: Session, day: string, count: number): Promise<number> {
    const result = await session.execute(
      `INSERT INTO asset_sequence (day, last_number) VALUES (?, LAST_INSERT_ID(?))
       ON DUPLICATE KEY UPDATE last_number = LAST_INSERT_ID(last_number + ?)`,
      [day, BigInt(count), BigInt(count)],
    );
    return Number(result.insertId);
  }

  async prepare(session: Session, side: DatabaseSide): Promise<void> {
    const [settings] = await session.query<ServerSettings>(
      settingsSql('@@sql_mode', '@@character_set_database', '@@max_allowed_packet'),
    );
    checkSettings(settings as ServerSettings);
    this.statementBytes = statementBytes(Number(settings?.packet));
    const variables = await session.query<Variable>(
      `SHOW SESSION VARIABLES WHERE Variable_name IN ('wsrep_on', '${OF_MARIADB}')`,
    );
    const valueOf = new Map(variables.map(({ Variable_name, Value }) => [Variable_name, Value]));
    this.server = isMariaDb(settings) || valueOf.has(OF_MARIADB) ? 'MariaDB' : 'MySQL';
    await session.query('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED');
    // A node of a cluster answers when it has applied what the others had committed before.
    if (valueOf.get('wsrep_on') === 'ON') await session.query('SET SESSION wsrep_sync_wait = 7');
    await session.query(`SET SESSION ${this.limits(side).join(', SESSION ')}`);
  }

  /** The server's own bounds: of a statement, of a wait, and of a frozen process that holds the clock. */
  private limits(side: DatabaseSide): string[] {
    if (side === 'copier') {
      return [
        'innodb_lock_wait_timeout = 2',
        `${this.server === 'MariaDB' ? 'max_statement_time' : 'max_execution_time'} = 0`,
      ];
    }
    if (this.server === 'MariaDB') {
      return ['innodb_lock_wait_timeout = 2', 'max_statement_time = 5', 'idle_write_transaction_timeout = 5'];
    }
    // The bound of statements is one of SELECT alone: a write that waits for a table has its own.
    const writer = side === 'writer' ? ['lock_wait_timeout = 2', 'wait_timeout = 5'] : [];
    return ['innodb_lock_wait_timeout = 2', 'max_execution_time = 5000', ...writer];
  }

  async checkServer(session: Session): Promise<void> {
    const database =
      'SELECT default_character_set_name FROM information_schema.schemata WHERE schema_name = DATABASE()';
    const [settings] = await session.query<ServerSettings>(
      settingsSql('@@global.sql_mode', `(${database})`, '@@global.max_allowed_packet'),
    );
    checkSettings(settings as ServerSettings);
  }

  copyFile(): Promise<boolean> {
    return Promise.resolve(false);
  }

  freeDisk(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  connections(dataSource: DataSource): Connections {
    const { pool } = dataSource.driver as unknown as { pool: PoolQueues };
    const open = pool._allConnections.length;
    return { open, inUse: open - pool._freeConnections.length, waiting: pool._connectionQueue.length };
  }

  async readDurability(session: Session): Promise<DurabilitySettings> {
    const [row] = await session.query<Record<'log_bin' | 'sync_binlog' | 'flush', unknown>>(
      'SELECT @@log_bin AS log_bin, @@sync_binlog AS sync_binlog, @@innodb_flush_log_at_trx_commit AS flush',
    );
    return judgeDurability(Number(row?.log_bin), Number(row?.sync_binlog), Number(row?.flush));
  }

  troubleOf(error: unknown): string {
    return mysqlTroubleOf(error);
  }

  failureOf(error: unknown): Failure {
    if (error instanceof DeadlineError) return 'lost';
    // Somebody has changed the server under us: not one more statement until it is mended.
    if (error instanceof DatabaseUnusableError) return 'away';
    const number = numberOf(error) ?? 0;
    const code = codeOf(error) ?? '';
    if (RETRIED.has(number)) return 'retry';
    if (LOST.has(number) || LOST_CODES.has(code)) return 'lost';
    if (REFUSED.has(number)) return 'refused';
    if (AWAY.has(number) || CLOSED.has(number) || isLoginRefused(error) || AWAY_CODES.has(code)) return 'away';
    return /Queue limit reached|Pool is closed|closed state/.test(String((error as Error).message)) ? 'away' : 'defect';
  }

  refusalOf(error: unknown): string | undefined {
    return refusalOf(error, this.isPlain);
  }
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
