import { Injectable } from '@nestjs/common';
import {
  type BatchRows,
  DatabaseAwayError,
  type DayNumbers,
  type LedgerStore,
  type LedgerTransaction,
  OutcomeUnknownError,
  type Reserved,
  RetryableError,
} from './ledger-store.js';
import { toLedgerError } from './statement-errors.js';
import { ASSETS } from '../../database/readers/asset-row.js';
import { Database } from '../../database/database.js';
import { type Dialect, overwriteSql } from '../../database/dialects/dialect.js';
import { isDuplicate, isNotExecuted } from '../../database/dialects/error-code.js';
import type { Asset } from '../../database/entities/asset.entity.js';
import { AuditEntry } from '../../database/entities/audit-entry.entity.js';
import { ClockWitness } from '../../database/entities/clock-witness.entity.js';
import type { Receipt } from '../../database/entities/receipt.entity.js';
import { Revision } from '../../database/entities/revision.entity.js';
import type { StoredBytes } from '../../database/entities/stored-bytes.entity.js';
import type { TransferCode } from '../../database/entities/transfer-code.entity.js';
import { EntityTable } from '../../database/entities/entity-table.js';
import { RECEIPTS } from '../../database/repositories/receipts.js';
import { deleteByIds, readByIds } from '../../database/repositories/rows-by-id.js';
import { padded, placeholdersFor, type Session } from '../../database/connections/session.js';
import { addStoredBytes } from '../../database/repositories/stored-bytes.js';
import { CODES, writeCode } from '../../database/repositories/transfer-codes.js';

const REVISIONS = EntityTable.of(Revision);
const WITNESSES = EntityTable.of(ClockWitness);
const AUDIT = EntityTable.of(AuditEntry);
/** Columns that a change may overwrite. */
const CHANGED = ASSETS.without('id', 'assetId', 'assetType', 'createdUs').columns;

@Injectable()
export class SqlLedgerStore implements LedgerStore {
  /** The lane's connection between two transactions. It does not return to the pool, because autocommit is off on it. */
  private idle: Session | undefined;

  constructor(private readonly database: Database) {}

  get isAway(): boolean {
    return this.database.isAway || this.database.writes.isOpen;
  }

  async begin(): Promise<LedgerTransaction> {
    await this.ready();
    this.database.writes.trialStarted();
    let session: Session | undefined;
    try {
      session = await this.laneSession();
      return new Transaction(session, this.database, (ended) => this.reuse(ended));
    } catch (error) {
      session?.destroy();
      this.database.writes.trialInconclusive();
      throw toLedgerError(error, this.database);
    }
  }

  private async laneSession(): Promise<Session> {
    const { idle } = this;
    this.idle = undefined;
    if (idle?.isOpen === true) return idle;
    idle?.destroy();
    const session = await this.database.laneSession();
    if (await session.canPipeline()) return session;
    session.destroy();
    return this.database.laneSession();
  }

  private reuse(session: Session): void {
    this.idle?.destroy();
    this.idle = session;
  }

  private async ready(): Promise<void> {
    try {
      await this.database.ready();
      if (this.database.writes.isShortOfDisk) throw new Error('The disk is nearly full');
    } catch (error) {
      throw new DatabaseAwayError('The database is away', { cause: error });
    }
  }
}

class Transaction implements LedgerTransaction {
  private readonly dialect: Dialect;

  constructor(
    private readonly session: Session,
    private readonly database: Database,
    private readonly giveBack: (session: Session) => void,
  ) {
    this.dialect = database.dialect;
  }

  lockAssets(ids: readonly string[]): Promise<Map<string, Asset>> {
    return this.readAssets(ids, this.dialect.sql.forUpdate);
  }

  lockFreeAssets(ids: readonly string[]): Promise<Map<string, Asset>> {
    return this.readAssets(ids, this.dialect.sql.forUpdateSkipLocked);
  }

  async findAssets(ids: readonly string[]): Promise<string[]> {
    const values = padded(ids);
    const sql = `SELECT id FROM asset WHERE id IN (${placeholdersFor(values)})`;
    const rows = await this.attempt(() => this.session.query<{ id: string }>(sql, values));
    return rows.map(({ id }) => id);
  }

  readAssets(ids: readonly string[], lockSql = ''): Promise<Map<string, Asset>> {
    return this.attempt(() => readByIds(this.session, ASSETS, ids, lockSql));
  }

  async advanceClock(candidateUs: number, count: number, numbers: DayNumbers | undefined): Promise<Reserved> {
    const { dialect, session } = this;
    // The server runs them in order, so the numbers are taken under the clock's lock.
    const [lastUs, lastNumber] = await this.attempt(() =>
      session.together(() => [
        dialect.advanceClock(session, candidateUs, count),
        numbers === undefined ? Promise.resolve(0) : dialect.allocateNumbers(session, numbers.day, numbers.count),
      ]),
    );
    return { lastUs, lastNumber };
  }

  async lockClock(): Promise<void> {
    const sql = `SELECT last_us FROM feed_clock WHERE id = 1 ${this.dialect.sql.forUpdate}`;
    await this.attempt(() => this.session.query(sql));
  }

  takeNumbers({ day, count }: DayNumbers): Promise<number> {
    return this.attempt(() => this.dialect.allocateNumbers(this.session, day, count));
  }

  async returnNumbers({ day, count }: DayNumbers): Promise<void> {
    const sql = 'UPDATE asset_sequence SET last_number = last_number - ? WHERE day = ?';
    await this.attempt(() => this.session.execute(sql, [BigInt(count), day]));
  }

  lockReceipts(ids: readonly string[]): Promise<Map<string, Receipt>> {
    return this.attempt(() => readByIds(this.session, RECEIPTS, ids, this.dialect.sql.forUpdate));
  }

  async write({ created, changed, revisions, receipts, audit, usedCodes, stored }: BatchRows): Promise<void> {
    const { session } = this;
    const changeSql = overwriteSql(this.dialect.sql, CHANGED);
    await this.attempt(() =>
      session.together(() => [
        session.insertRows(ASSETS, ASSETS.toRows(created)),
        session.insertRows(ASSETS, ASSETS.toRows(changed), changeSql),
        session.insertRows(REVISIONS, REVISIONS.toRows(revisions)),
        this.insertOrRetry(RECEIPTS, RECEIPTS.toRows(receipts)),
        session.insertRows(AUDIT, AUDIT.toRows(audit)),
        usedCodes.length === 0 ? Promise.resolve() : deleteByIds(session, 'transfer_code', usedCodes),
        addStoredBytes(session, this.dialect, stored),
      ]),
    );
  }

  lockCodes(ids: readonly string[]): Promise<Map<string, TransferCode>> {
    return this.attempt(() => readByIds(this.session, CODES, ids, this.dialect.sql.forUpdate));
  }

  async storeTransferCode(code: TransferCode, audit: AuditEntry, stored: StoredBytes): Promise<void> {
    await this.attempt(() => writeCode(this.session, this.dialect, code));
    await this.attempt(() => this.insertOrRetry(AUDIT, AUDIT.toRows([audit])));
    await this.attempt(() => addStoredBytes(this.session, this.dialect, [stored]));
  }

  private async insertOrRetry(...rows: Parameters<Session['insertRows']>): Promise<void> {
    try {
      await this.session.insertRows(...rows);
    } catch (error) {
      throw isDuplicate(error) ? new RetryableError('Another transaction was first', { cause: error }) : error;
    }
  }

  deleteReceipts(ids: readonly string[]): Promise<void> {
    return this.attempt(() => deleteByIds(this.session, 'receipt', ids));
  }

  async markKeyUsed(id: string, day: string): Promise<void> {
    const sql = 'UPDATE api_key SET used_day = ? WHERE id = ? AND (used_day IS NULL OR used_day < ?)';
    await this.attempt(() => this.session.execute(sql, [day, id, day]));
  }

  async noteTime(us: number): Promise<void> {
    const rows = WITNESSES.toRows([{ id: 1, seenUs: us, leadUs: 0 }]);
    await this.attempt(() => this.session.insertRows(WITNESSES, rows, overwriteSql(this.dialect.sql, ['seen_us'])));
  }

  run<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.attempt(() => work(this.session));
  }

  async commit(): Promise<void> {
    try {
      await this.session.execute('COMMIT');
    } catch (error) {
      // Only these errors prove a rollback. Any other may have come after the commit.
      if (this.database.judgeWrite(error) === 'retry' || isNotExecuted(error))
        throw new RetryableError('COMMIT was rolled back', { cause: error });
      throw new OutcomeUnknownError('COMMIT was not answered', { cause: error });
    }
    this.database.writes.succeeded();
    this.giveBack(this.session);
  }

  async rollback(): Promise<void> {
    this.database.writes.trialInconclusive();
    try {
      await this.session.execute('ROLLBACK');
      this.giveBack(this.session);
    } catch {
      this.session.destroy();
    }
  }

  private async attempt<T>(statement: () => Promise<T>): Promise<T> {
    try {
      return await statement();
    } catch (error) {
      throw toLedgerError(error, this.database);
    }
  }
}
