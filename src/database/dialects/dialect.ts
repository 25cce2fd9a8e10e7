import type { DataSource } from 'typeorm';
import { StartError } from '../../platform/errors/start-error.js';
import type { StatementRunner } from './statement-runner.js';

/** TypeORM's table of applied migrations, created before the first one runs. */
export const MIGRATIONS_TABLE = 'migrations';

/** Readers have separate connections, so they never wait for the writer. */
export type ServingSide = 'writer' | 'reader';

/** A copier is a command that copies whole databases; its statements may take long. */
export type DatabaseSide = ServingSide | 'copier';

/** The use of a session. The lane is the connection of the ledger, on the writing side. */
export type SessionSide = DatabaseSide | 'lane';

/**
 * How to react to a failed statement:
 * `retry`: it was rolled back and may succeed at once; `lost`: the connection died during it; `away`: the database is down;
 * `refused`: the database answers but refuses this statement now (full, read-only, locked, missing right), other work may continue;
 * `defect`: the statement itself is wrong.
 */
export type Failure = 'retry' | 'lost' | 'away' | 'refused' | 'defect';

/** Whether data that readers have seen survives a crash. */
export interface DurabilitySettings {
  /** Readers can see a commit before it is durable; the next commit makes it durable, so answers wait for one. */
  needsBarrier: boolean;
  /** Acknowledged writes survive a crash, with the barrier if `needsBarrier`. */
  strict: boolean;
  /** For the health check: `strict`, or what is missing. */
  summary: string;
  /** Advice to the operator, logged at start; undefined if there is nothing to change. */
  warning: string | undefined;
}

/** A driver's connection, for one piece of work at a time. */
export interface DriverConnection {
  /**
   * Runs one statement. Bind integers as bigint, because drivers send a number as floating-point.
   * @returns the rows of a query, or the result of a write
   * @throws StatementError, DeadlineError
   */
  run(sql: string, values: readonly unknown[]): Promise<unknown>;
  /**
   * Calls `begin` and, if `canPipeline` was true, sends all statements that it starts in one round trip. Each runs even if an earlier one
   * fails. Don't nest. Undefined if each statement runs synchronously.
   */
  together?<T>(begin: () => T): T;
  /** Tries pipelining. @returns false if that broke the connection: the next one should not pipeline */
  canPipeline?(): Promise<boolean>;
  readonly isOpen: boolean;
  release(): void;
  /** Closes the connection; the server rolls an open transaction back. SQLite's only connection stays open. */
  destroy(): void;
}

/** SQL that differs between databases. */
export interface SqlForms {
  readonly begin: string;
  /** Before and after a copier's transaction that may lock the clock: the server ends it if the process freezes. */
  readonly limitIdleTime: readonly string[];
  readonly restoreIdleTime: readonly string[];
  /** Begin a transaction whose reads all see the moment of these statements. */
  readonly snapshot: readonly string[];
  /** Appended to a SELECT: locks its rows for writing. */
  readonly forUpdate: string;
  /** The same, but skips rows that another transaction has locked. */
  readonly forUpdateSkipLocked: string;
  /** Appended to a SELECT: waits until no transaction has its rows locked for writing. */
  readonly forShare: string;
  /** The server's clock, in microseconds since 1970 UTC; NULL for SQLite. */
  readonly clock: string;
  /** A LONGTEXT column as bytes. */
  readonly bytes: (column: string) => string;
  /** After a table's name: makes a server use the index, whatever its statistics say. */
  readonly forceIndex: (index: string) => string;
  /** After a table's name: makes SQLite read from a covering index, so that it does not read through large bodies. */
  readonly coveringIndex: (index: string) => string;
  /** Wraps a SELECT with ORDER BY and LIMIT as a part of a UNION. */
  readonly unionPart: (select: string) => string;
  /** After the rows of an INSERT: begins the assignments to an existing row with the same key. */
  readonly onConflict: (key: string) => string;
  /** In such an assignment: the inserted value. */
  readonly incoming: (column: string) => string;
  /** Statements that empty a table, ignoring foreign keys. */
  readonly truncate: (table: string) => readonly string[];
}

/** All that differs between the databases. */
export interface Dialect {
  /** SQLite, MariaDB or MySQL, for people; certain once a connection was prepared. */
  readonly name: string;
  /** Whether a read view is consistent. On MariaDB a view may show a later commit without an earlier one. */
  readonly atomicViews: boolean;
  readonly sql: SqlForms;
  /** Advances the clock by `count` instants. @returns the last of them */
  advanceClock(session: StatementRunner, candidateUs: number, count: number): Promise<number>;
  /** Allocates `count` numbers of a day. @returns the last of them */
  allocateNumbers(session: StatementRunner, day: string, count: number): Promise<number>;
  /** Gets a connection of a connected data source. @throws the driver's error, DeadlineError */
  connect(dataSource: DataSource, side: SessionSide): Promise<DriverConnection>;
  /**
   * Configures a new connection. On the lane's, the first statement after a COMMIT or ROLLBACK begins a write transaction.
   * @throws DatabaseUnusableError if the server's settings would damage data or safety
   */
  prepare(session: StatementRunner, side: SessionSide): Promise<void>;
  /** Prepares an empty database; leaves another one unchanged. @throws DatabaseUnusableError for another program's database */
  beforeMigrations(dataSource: DataSource): Promise<void>;
  readDurability(session: StatementRunner): Promise<DurabilitySettings>;
  classifyFailure(error: unknown): Failure;
  /** Cause of an error other than a defect, as a clause that is safe to publish: `its disk is full`. */
  describeFailure(error: unknown): string;
  /** Why the database refuses the login or the connection for good, to follow its name in a sentence; undefined for other errors. */
  describeRefusal(error: unknown): string | undefined;
}

/** The end of an INSERT that overwrites these columns of an existing row with the same id. */
export function overwriteSql({ onConflict, incoming }: SqlForms, columns: readonly string[]): string {
  return `${onConflict('id')} ${columns.map((column) => `${column} = ${incoming(column)}`).join(', ')}`;
}

/** The database answers but must not be used in its state; ends the start of a service. */
export class DatabaseUnusableError extends StartError {}

/** A failed statement. Logs omit the message of an error with `driverError`, because drivers put statements and values into it. */
export class StatementError extends Error {
  constructor(readonly driverError: Error) {
    super(driverError.message);
    this.name = 'StatementError';
  }
}
