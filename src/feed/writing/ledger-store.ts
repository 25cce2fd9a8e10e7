import type { Asset } from '../../database/entities/asset.entity.js';
import type { AuditEntry } from '../../database/entities/audit-entry.entity.js';
import type { Receipt } from '../../database/entities/receipt.entity.js';
import type { Revision } from '../../database/entities/revision.entity.js';

/*
 * What the ledger needs of a database. The database room fulfils it; a test may put a double in its place.
 */

export interface LedgerStore {
  /** Known to be away: nothing can be written until it is back. */
  readonly isAway: boolean;
  /** Opens a transaction on a connection of its own. @throws RetryableError, DatabaseAwayError */
  begin(): Promise<LedgerTransaction>;
}

/** Any method throws RetryableError, DatabaseAwayError, or the driver's error for a defect. Ended by commit or rollback, always. */
export interface LedgerTransaction {
  /** Reads the rows of `ids`, which are sorted, with a lock that is held to the end of the transaction. */
  lockAssets(ids: readonly string[]): Promise<Map<string, Asset>>;
  /**
   * Locks the clock and moves it by `count` instants in one statement.
   * @param candidateUs what the wall clock says; used where it is later than the clock
   * @returns the last of the instants, in microseconds
   */
  advanceClock(candidateUs: number, count: number): Promise<number>;
  /** Locks the clock: no other batch is under way while it is held. */
  lockClock(): Promise<void>;
  /** Takes `count` numbers of a local day. @returns the last of them */
  takeNumbers(day: string, count: number): Promise<number>;
  /** Reads receipts with a lock that is held to the end of the transaction, after the assets'. */
  lockReceipts(ids: readonly string[]): Promise<Map<string, Receipt>>;
  /** @throws RetryableError when another transaction was first with one of them */
  insertReceipts(receipts: readonly Receipt[]): Promise<void>;
  deleteReceipts(ids: readonly string[]): Promise<void>;
  /** The ids of at most `most` receipts from before an instant, the oldest first. */
  findReceiptsBefore(us: number, most: number): Promise<string[]>;
  insertAssets(assets: readonly Asset[]): Promise<void>;
  changeAssets(assets: readonly Asset[]): Promise<void>;
  /** At least one. */
  insertRevisions(revisions: readonly Revision[]): Promise<void>;
  /** At least one. */
  insertAudit(entries: readonly AuditEntry[]): Promise<void>;
  /** Keeps the local day on which a key was used last. */
  markKeyUsed(id: string, day: string): Promise<void>;
  /** Keeps when the registry was at work, in microseconds. */
  noteTime(us: number): Promise<void>;
  /** @throws OutcomeUnknownError when the connection died before the answer came */
  commit(): Promise<void>;
  /** Never throws: a connection that cannot roll back is given up, which rolls back too. */
  rollback(): Promise<void>;
}

/** The transaction was rolled back, or will be; the same work may succeed at once. */
export class RetryableError extends Error {}

/** The database does not answer. Nothing of this transaction was kept. */
export class DatabaseAwayError extends Error {}

/** COMMIT was sent and no answer came: the transaction is either kept whole or gone. */
export class OutcomeUnknownError extends Error {}
