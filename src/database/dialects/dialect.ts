import type { DataSource } from 'typeorm';
import { StartError } from '../../errors/start-error.js';
import type { StatementRunner } from './statement-runner.js';
import type { DatabaseFile } from './sqlite/database-file.js';

/** TypeORM keeps the names of applied migrations in this table, and creates it before the first of them runs. */
export const MIGRATIONS_TABLE = 'migrations';

/** The writer has a connection of its own; readers never wait for it. */
export type ServingSide = 'writer' | 'reader';

/**
 * A copier is a command that copies whole databases: its statements may
 * take long.
 */
export type DatabaseSide = ServingSide | 'copier';

/** What a session is for. The lane is the ledger's own, on the writing side. */
export type SessionSide = DatabaseSide | 'lane';

/**
 * How a failed statement is to be taken:
 * `retry` it was rolled back and may succeed at once; `lost` the connection died under it; `away` the database cannot be used now;
 * `refused` it answers, and does not take this now (full, read-only, locked, or its user lacks the right), while other work may go on;
 * `defect` the statement itself is wrong.
 */
export type Failure = 'retry' | 'lost' | 'away' | 'refused' | 'defect';

/** Whether what readers see would survive a crash. */
export interface DurabilitySettings {
  /** Readers can see a commit that is not durable yet, but the next commit makes it so: answers wait for one. */
  needsBarrier: boolean;
  /** What was acknowledged survives a crash, perhaps by the help of the barrier. */
  strict: boolean;
  /** For health: `strict`, or what is missing. */
  told: string;
  /** For the log at start, where an operator should change something. */
  warning: string | undefined;
}

/** The connections of a pool. */
export interface Connections {
  open: number;
  inUse: number;
  /** Callers that wait for a connection. */
  waiting: number;
}

/** A connection as its driver has it, for one piece of work at a time. */
export interface DriverConnection {
  /**
   * Runs one statement. An integer that is compared or counted with is bound as a bigint: drivers take a number for a floating-point one.
   * @returns its rows, or what it has written
   * @throws StatementError, or DeadlineError where it might never be answered
   */
  run(sql: string, values: readonly unknown[]): Promise<unknown>;
  /**
   * Calls `begin`, and sends all statements that it begins at once, where `takesSeveral` was true: in their order, and without waiting for
   * an answer between them. Each is run whatever becomes of those before it. Not to be nested.
   */
  together<T>(begin: () => T): T;
  /** Tries it. @returns false where the connection is of no use any more, and another one should do without */
  takesSeveral(): Promise<boolean>;
  /** Whether it is still there, as far as can be seen without asking. */
  readonly isOpen: boolean;
  /** Back to the pool. */
  release(): void;
  /** Gives it up; the server rolls back what was open on it. A file's one connection stays. */
  destroy(): void;
}

/** What of a disk is free for the service. */
export interface FreeDisk {
  bytes: number;
  /** From 0 to 1. */
  share: number;
}

/** What differs between the databases: everything else is written once. */
export interface Dialect {
  /** For people: SQLite, MariaDB or MySQL; known for certain once `check` has run. */
  readonly name: string;
  /** Migrations run at start, without an operator. */
  readonly migratesAtStart: boolean;
  /** A read view is one moment of history. Where it is not (MariaDB), a later commit can be visible without an earlier one. */
  readonly atomicViews: boolean;
  /** Open a transaction that writes. */
  readonly beginSql: readonly string[];
  /** Before and after a transaction of a copier, which may hold the clock: so long the server bounds how long it may be idle. */
  readonly holdingSql: readonly string[];
  readonly restingSql: readonly string[];
  /** Make a connection the ledger's own, once: on it the first statement after a COMMIT or ROLLBACK begins a transaction that writes. */
  readonly laneSql: readonly string[];
  /** Appended to a SELECT that locks its rows against writers. */
  readonly forUpdateSql: string;
  /** Appended to a SELECT that locks its rows without waiting: it leaves out those that another transaction has locked. */
  readonly forUpdateOfFreeSql: string;
  /** Reads the clock once no writer holds it. */
  readonly readPointSql: string;
  /** What the server's clock says, in microseconds since 1970 UTC; of a file NULL, as it has none. */
  readonly clockSql: string;
  /** Begin a transaction that sees one moment of history, the moment of these statements. */
  readonly snapshotSql: readonly string[];
  /** Empty a table, whatever refers to it. */
  emptySql(table: string): readonly string[];
  /** A connection of a data source's that is connected. @throws the driver's error, or DeadlineError where none might ever come */
  connect(dataSource: DataSource, side: SessionSide): Promise<DriverConnection>;
  /** The bytes of values that one statement may bring; of a server it is known when a connection was prepared. */
  readonly mostStatementBytes: number;
  /** The sizes of the statements that insert so many rows, in this order: few different ones, as each is prepared once. */
  insertSizes(rows: number): readonly number[];
  /** A column of LONGTEXT as its bytes. */
  bytesSql(column: string): string;
  /** After the table's name where a page is read: the index that it must be read by, however the server guesses. */
  byIndexSql(index: string): string;
  /**
   * After the table's name where nothing is read that an index does not hold: a file would go through the whole of a large body for what
   * stands behind it. Servers keep bodies apart.
   */
  besideBodySql(index: string): string;
  /** A SELECT with an order and a limit of its own, as a part of a UNION. */
  limitedPartSql(select: string): string;
  /** Appended to a multi-row INSERT so that existing ids are overwritten in these columns. */
  overwriteSql(columns: readonly string[]): string;
  /** Appended to an INSERT into stored_bytes so that the bytes of an account's day are added up, and those of an earlier day are forgotten. */
  readonly addBytesSql: string;
  /** Moves the clock; returns the last instant given out. */
  advanceClock(session: StatementRunner, candidateUs: number, count: number): Promise<number>;
  /** Takes numbers of a day; returns the last. */
  takeNumbers(session: StatementRunner, day: string, count: number): Promise<number>;
  /** Prepares an empty database, and changes no other. @throws DatabaseUnusableError for another program's database, whatever its tables are called */
  beforeMigrations(dataSource: DataSource): Promise<void>;
  /** Settings of a new connection. @throws DatabaseUnusableError when the server is set up so that data or safety would suffer */
  prepare(session: StatementRunner, side: SessionSide): Promise<void>;
  /** What the server's settings make of a commit. */
  readDurability(session: StatementRunner): Promise<DurabilitySettings>;
  /** The file that a connected data source has open; undefined where the database is a server's. */
  fileOf(dataSource: DataSource): DatabaseFile | undefined;
  /** How much of the disk under the database is free; undefined where it is another machine's. */
  freeDisk(): Promise<FreeDisk | undefined>;
  /** How the connections of a data source that is connected are used; undefined where it has one only. */
  connections(dataSource: DataSource): Connections | undefined;
  failureOf(error: unknown): Failure;
  /** Whether a write failed because the whole server is read-only. It became so after the last commit was durable: it waits for commits. */
  isServerReadOnly(error: unknown): boolean;
  /** Why the database lets nobody in, where waiting would not help: the end of a sentence that begins with its name. */
  refusalOf(error: unknown): string | undefined;
  /** Why an error that is no defect came, in a clause for an operator that anybody may read: `its disk is full`. */
  troubleOf(error: unknown): string;
}

/** The database answers, but must not be used as it is. Ends the start. */
export class DatabaseUnusableError extends StartError {}

/** A statement that failed. Drivers put statements and values into their messages, so logs leave out the message of what has a `driverError`. */
export class StatementError extends Error {
  constructor(readonly driverError: Error) {
    super(driverError.message);
    this.name = 'StatementError';
  }
}
