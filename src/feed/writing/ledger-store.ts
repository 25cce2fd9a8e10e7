import { unavailable } from '../../platform/errors/errors.js';
import type { Asset } from '../../database/entities/asset.entity.js';
import type { AuditEntry } from '../../database/entities/audit-entry.entity.js';
import type { Receipt } from '../../database/entities/receipt.entity.js';
import type { Revision } from '../../database/entities/revision.entity.js';
import type { StoredBytes } from '../../database/entities/stored-bytes.entity.js';
import type { TransferCode } from '../../database/entities/transfer-code.entity.js';
import type { Session } from '../../database/connections/session.js';

/*
 * What the ledger needs of a database. The database room fulfils it; a test may put a double in its place.
 */

export interface LedgerStore {
  /** Whether the database is known to be away, or to take no writes. */
  readonly isAway: boolean;
  /** Opens a transaction on a connection of its own. @throws RetryableError, DatabaseAwayError */
  begin(): Promise<LedgerTransaction>;
}

export interface BatchRows {
  created: readonly Asset[];
  changed: readonly Asset[];
  revisions: readonly Revision[];
  receipts: readonly Receipt[];
  audit: readonly AuditEntry[];
  /** Ids of the assets whose transfer codes are used up. */
  usedCodes: readonly string[];
  /** Added to what the accounts have had stored on that day; each account once. */
  stored: readonly StoredBytes[];
}

export interface DayNumbers {
  day: string;
  count: number;
}

export interface GivenOut {
  /** The last of its instants, in microseconds. */
  lastUs: number;
  /** The last of its numbers; 0 where none was wanted. */
  lastNumber: number;
}

/** Every method may throw RetryableError, DatabaseAwayError, or the driver's error for a defect. The caller always commits or rolls back. */
export interface LedgerTransaction {
  /** Reads the rows of `ids`, which are sorted, with a lock that is held to the end of the transaction. */
  lockAssets(ids: readonly string[]): Promise<Map<string, Asset>>;
  /** Locks and reads the assets that no other transaction has locked, without waiting for the others. */
  lockFreeAssets(ids: readonly string[]): Promise<Map<string, Asset>>;
  /** Reads rows as they are now. Nothing is locked. */
  readAssets(ids: readonly string[]): Promise<Map<string, Asset>>;
  /** Which of `ids` there are. Nothing is locked. */
  findAssets(ids: readonly string[]): Promise<string[]>;
  /**
   * Locks the feed's clock and advances it by `count` instants, in one statement, and then takes the numbers.
   * @param candidateUs what the wall clock says; counts where it is later than the feed's clock
   */
  advanceClock(candidateUs: number, count: number, numbers: DayNumbers | undefined): Promise<GivenOut>;
  /** Locks the feed's clock: no other batch is under way while the lock is held. */
  lockClock(): Promise<void>;
  /** Takes numbers of another day. @returns the last of them */
  takeNumbers(numbers: DayNumbers): Promise<number>;
  /** Gives the last ones back that this transaction has taken. */
  returnNumbers(numbers: DayNumbers): Promise<void>;
  /** Reads receipts with a lock that is held to the end of the transaction. Called after `lockAssets`, always in this order. */
  lockReceipts(ids: readonly string[]): Promise<Map<string, Receipt>>;
  deleteReceipts(ids: readonly string[]): Promise<void>;
  /** Reads transfer codes with a lock that is held to the end of the transaction. Called after `lockAssets`, with the ids of the same assets. */
  lockCodes(ids: readonly string[]): Promise<Map<string, TransferCode>>;
  /** Keeps a transfer code in the place of an earlier one. @throws RetryableError when the subject of the audit has an entry of that instant */
  storeTransferCode(code: TransferCode, audit: AuditEntry, stored: StoredBytes): Promise<void>;
  /** Writes all of it. @throws RetryableError when another transaction was first with a receipt */
  write(rows: BatchRows): Promise<void>;
  /** Keeps the local day on which a key was used last. */
  markKeyUsed(id: string, day: string): Promise<void>;
  /** Writes down that the registry was at work at a time, in microseconds. */
  noteTime(us: number): Promise<void>;
  /** Statements of another room, in this transaction. */
  run<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /** @throws OutcomeUnknownError when the connection broke before the answer */
  commit(): Promise<void>;
  /** Never throws: a connection that cannot roll back is closed, which makes the server roll back. */
  rollback(): Promise<void>;
}

/** The transaction was rolled back, or will be; the same work may succeed at once. */
export class RetryableError extends Error {}

/** The database does not answer. Nothing of this transaction was kept. */
export class DatabaseAwayError extends Error {}

/** COMMIT was sent and no answer came: the transaction is either kept whole or gone. */
export class OutcomeUnknownError extends Error {}

/** Whether it is the database's trouble, which the log tells once and not for everyone who meets it. */
export function isDatabaseFailure(error: unknown): boolean {
  return [RetryableError, DatabaseAwayError, OutcomeUnknownError].some((kind) => error instanceof kind);
}

/** What the client of an operation is told that failed with `error`. */
export function refusalFor(error: unknown): unknown {
  return isDatabaseFailure(error) ? unavailable('database_away') : error;
}
