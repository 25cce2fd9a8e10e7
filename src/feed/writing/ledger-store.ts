import { unavailable } from '../../platform/errors/errors.js';
import type { Asset } from '../../database/entities/asset.entity.js';
import type { AuditEntry } from '../../database/entities/audit-entry.entity.js';
import type { Receipt } from '../../database/entities/receipt.entity.js';
import type { Revision } from '../../database/entities/revision.entity.js';
import type { StoredBytes } from '../../database/entities/stored-bytes.entity.js';
import type { TransferCode } from '../../database/entities/transfer-code.entity.js';
import type { Session } from '../../database/connections/session.js';

/*
 * The ledger's interface to the database. Tests may replace it.
 */

export interface LedgerStore {
  /** Whether the database is known to be away or to refuse writes. */
  readonly isAway: boolean;
  /** Opens a transaction on a dedicated connection. @throws RetryableError, DatabaseAwayError */
  begin(): Promise<LedgerTransaction>;
}

export interface BatchRows {
  created: readonly Asset[];
  changed: readonly Asset[];
  revisions: readonly Revision[];
  receipts: readonly Receipt[];
  audit: readonly AuditEntry[];
  /** Ids of the assets whose transfer codes were used. */
  usedCodes: readonly string[];
  /** Added to the accounts' stored bytes of the day; each account once. */
  stored: readonly StoredBytes[];
}

export interface DayNumbers {
  day: string;
  count: number;
}

export interface Reserved {
  /** The last of the instants, in microseconds. */
  lastUs: number;
  /** The last of the numbers; 0 if none was requested. */
  lastNumber: number;
}

/**
 * Every method may throw RetryableError, DatabaseAwayError, or the driver's error for a defect. The caller always commits or rolls back. All
 * locks last until the end of the transaction, and are requested in the order assets, then receipts and transfer codes.
 */
export interface LedgerTransaction {
  /** Locks and reads assets. @param ids sorted */
  lockAssets(ids: readonly string[]): Promise<Map<string, Asset>>;
  /** Locks and reads the assets that no other transaction has locked, and skips the others. */
  lockFreeAssets(ids: readonly string[]): Promise<Map<string, Asset>>;
  /** Reads the current rows without locks. */
  readAssets(ids: readonly string[]): Promise<Map<string, Asset>>;
  /** Returns which of `ids` exist, without locks. */
  findAssets(ids: readonly string[]): Promise<string[]>;
  /**
   * Locks the feed's clock and advances it by `count` instants, in one statement, and then takes the numbers.
   * @param candidateUs the wall clock's time; used if it is later than the feed's clock
   */
  advanceClock(candidateUs: number, count: number, numbers: DayNumbers | undefined): Promise<Reserved>;
  /** Locks the feed's clock, so that no other batch can commit. */
  lockClock(): Promise<void>;
  /** Takes numbers of another day. @returns the last of them */
  takeNumbers(numbers: DayNumbers): Promise<number>;
  /** Returns the last numbers that this transaction took. */
  returnNumbers(numbers: DayNumbers): Promise<void>;
  lockReceipts(ids: readonly string[]): Promise<Map<string, Receipt>>;
  deleteReceipts(ids: readonly string[]): Promise<void>;
  /** @param ids of the assets */
  lockCodes(ids: readonly string[]): Promise<Map<string, TransferCode>>;
  /** Stores a transfer code and replaces an earlier one. @throws RetryableError if the audit has an entry of the same subject and instant */
  storeTransferCode(code: TransferCode, audit: AuditEntry, stored: StoredBytes): Promise<void>;
  /** Writes all rows. @throws RetryableError if another transaction stored the same receipt first */
  write(rows: BatchRows): Promise<void>;
  /** Stores the local day on which a key was last used. */
  markKeyUsed(id: string, day: string): Promise<void>;
  /** Stores when the registry was at work, in microseconds. */
  noteTime(us: number): Promise<void>;
  /** Runs statements of another room in this transaction. */
  run<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /** @throws OutcomeUnknownError if the connection broke before the answer */
  commit(): Promise<void>;
  /** Never throws: a connection that cannot roll back is closed, which makes the server roll back. */
  rollback(): Promise<void>;
}

/** The transaction was or will be rolled back; a retry may succeed at once. */
export class RetryableError extends Error {}

/** The database does not answer. Nothing of this transaction was written. */
export class DatabaseAwayError extends Error {}

/** COMMIT was not answered: the transaction was either committed or rolled back. */
export class OutcomeUnknownError extends Error {}

/** Whether an error is a failure of the database, which the log reports once and not for each operation. */
export function isDatabaseFailure(error: unknown): boolean {
  return [RetryableError, DatabaseAwayError, OutcomeUnknownError].some((kind) => error instanceof kind);
}

/** The error to answer to a client whose operation failed with `error`. */
export function refusalFor(error: unknown): unknown {
  return isDatabaseFailure(error) ? unavailable('database_away') : error;
}
