import type { DataSource } from 'typeorm';
import { StartError } from '../../platform/errors/start-error.js';
import type { StatementRunner } from './statement-runner.js';

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
  summary: string;
  /** For the log at start, where an operator should change something. */
  warning: string | undefined;
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
   * an answer between them. Each is run whatever becomes of those before it. Not to be nested. Undefined where each is run when it is begun.
   */
  together?<T>(begin: () => T): T;
  /** Tries it. @returns false where the connection is of no use any more, and another one should do without */
  canPipeline?(): Promise<boolean>;
  readonly isOpen: boolean;
  release(): void;
  /** Gives it up; the server rolls back what was open on it. A file's one connection stays. */
  destroy(): void;
}

/** How a database writes what others write differently. */
export interface SqlForms {
  readonly begin: string;
  /** Before and after a transaction of a copier that may hold the clock: the server bounds meanwhile how long it may be idle. */
  readonly limitIdleTime: readonly string[];
  readonly restoreIdleTime: readonly string[];
  /** Begin a transaction that sees one moment of history, the moment of these statements. */
  readonly snapshot: readonly string[];
  /** Appended to a SELECT: locks its rows against writers. */
  readonly forUpdate: string;
  /** The same without waiting: leaves out rows that another transaction has locked. */
  readonly forUpdateSkipLocked: string;
  /** Appended to a SELECT: waits until no writer holds its rows. */
  readonly forShare: string;
  /** The server's clock, in microseconds since 1970 UTC; NULL for a file, which has none. */
  readonly clock: string;
  /** A column of LONGTEXT as its bytes. */
  readonly bytes: (column: string) => string;
  /** After the name of a table: the index that a server must read a page by, whatever it estimates. */
  readonly forceIndex: (index: string) => string;
  /** After the name of a table: the index that has all that is read, because a file would read through large bodies for it. */
  readonly coveringIndex: (index: string) => string;
  /** A SELECT with an order and a limit of its own, as a part of a UNION. */
  readonly unionPart: (select: string) => string;
  /** After the rows of an INSERT: what follows assigns columns of a row that has the same key. */
  readonly onConflict: (key: string) => string;
  /** In such an assignment: the value that the INSERT brings. */
  readonly incoming: (column: string) => string;
  /** Empty a table, whatever refers to it. */
  readonly truncate: (table: string) => readonly string[];
}

/** What differs between the databases: everything else is written once. */
export interface Dialect {
  /** For people: SQLite, MariaDB or MySQL; known for certain once a connection was prepared. */
  readonly name: string;
  /** A read view is one moment of history. Where it is not (MariaDB), a later commit can be visible without an earlier one. */
  readonly atomicViews: boolean;
  readonly sql: SqlForms;
  /** Moves the clock. @returns the last instant given out */
  advanceClock(session: StatementRunner, candidateUs: number, count: number): Promise<number>;
  /** Takes numbers of a day. @returns the last */
  allocateNumbers(session: StatementRunner, day: string, count: number): Promise<number>;
  /** A connection of a connected data source. @throws the driver's error, or DeadlineError where none might ever come */
  connect(dataSource: DataSource, side: SessionSide): Promise<DriverConnection>;
  /**
   * Settings of a new connection. On the lane's, the first statement after a COMMIT or ROLLBACK begins a transaction that writes.
   * @throws DatabaseUnusableError when the server is set up so that data or safety would suffer
   */
  prepare(session: StatementRunner, side: SessionSide): Promise<void>;
  /** Prepares an empty database, and changes no other. @throws DatabaseUnusableError for another program's database, whatever its tables are called */
  beforeMigrations(dataSource: DataSource): Promise<void>;
  readDurability(session: StatementRunner): Promise<DurabilitySettings>;
  classifyFailure(error: unknown): Failure;
  /** Why an error that is no defect came, in a clause for an operator that anybody may read: `its disk is full`. */
  describeFailure(error: unknown): string;
  /** Why the database lets nobody in, where waiting would not help: the end of a sentence that begins with its name. */
  describeRefusal(error: unknown): string | undefined;
}

/** Ends an INSERT that overwrites these columns where there is a row with the same id. */
export function overwriteSql({ onConflict, incoming }: SqlForms, columns: readonly string[]): string {
  return `${onConflict('id')} ${columns.map((column) => `${column} = ${incoming(column)}`).join(', ')}`;
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
