import { Injectable } from '@nestjs/common';
import {
  DatabaseAwayError,
  type LedgerStore,
  type LedgerTransaction,
  OutcomeUnknownError,
  RetryableError,
} from './ledger-store.js';
import { ASSET_COLUMNS, type AssetRow, toAsset, toRow } from '../../database/asset-row.js';
import { AUDIT_COLUMNS, toAuditRow } from '../../database/audit-row.js';
import { Database } from '../../database/database.js';
import type { Dialect } from '../../database/dialects/dialect.js';
import { isDuplicate } from '../../database/dialects/error-code.js';
import type { Asset } from '../../database/entities/asset.entity.js';
import type { AuditEntry } from '../../database/entities/audit-entry.entity.js';
import type { Receipt } from '../../database/entities/receipt.entity.js';
import type { Revision } from '../../database/entities/revision.entity.js';
import { padded, placesFor } from '../../database/places.js';
import { RECEIPT_COLUMNS, type ReceiptRow, toReceipt, toReceiptRow } from '../../database/receipt-row.js';
import { REVISION_COLUMNS, toRevisionRow } from '../../database/revision-row.js';
import type { InsertTarget, Session } from '../../database/session.js';

const COLUMNS = ASSET_COLUMNS.join(', ');
const ASSETS: InsertTarget = { table: 'asset', columns: ASSET_COLUMNS };
const RECEIPTS: InsertTarget = { table: 'receipt', columns: RECEIPT_COLUMNS };
const REVISIONS: InsertTarget = { table: 'revision', columns: REVISION_COLUMNS };
const WITNESS: InsertTarget = { table: 'clock_witness', columns: ['id', 'seen_us', 'lead_us'] };
const AUDIT: InsertTarget = { table: 'audit', columns: AUDIT_COLUMNS };
/** The columns that a change writes: owner, type, number and creation never change. */
const CHANGED = ['status', 'related_lot', 'body', 'version', 'modified_us', 'feed_us'];

/** The ledger's statements on a real database. */
@Injectable()
export class SqlLedgerStore implements LedgerStore {
  /** The lane's connection between two transactions. It does not go back to the pool, as autocommit is off on it. */
  private idle: Session | undefined;

  constructor(private readonly database: Database) {}

  get isAway(): boolean {
    return this.database.isAway || this.database.writes.isOpen;
  }

  async begin(): Promise<LedgerTransaction> {
    await this.ready();
    this.database.writes.tried();
    let session: Session | undefined;
    try {
      session = await this.laneSession();
      for (const sql of this.database.dialect.laneBeginSql) await session.execute(sql);
      return new Transaction(session, this.database, (over) => this.keep(over));
    } catch (error) {
      session?.destroy();
      this.database.writes.gaveUp();
      throw translate(error, this.database);
    }
  }

  private async laneSession(): Promise<Session> {
    const { idle } = this;
    this.idle = undefined;
    if (idle?.isOpen === true) return idle;
    const session = await this.database.writerSession();
    try {
      for (const sql of this.database.dialect.laneSql) await session.execute(sql);
      return session;
    } catch (error) {
      session.destroy();
      throw error;
    }
  }

  private keep(session: Session): void {
    this.idle?.destroy();
    this.idle = session;
  }

  private async ready(): Promise<void> {
    try {
      await this.database.ready();
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

  async lockAssets(ids: readonly string[]): Promise<Map<string, Asset>> {
    const values = padded(ids);
    const sql = `SELECT ${COLUMNS} FROM asset WHERE id IN (${placesFor(values)}) ORDER BY id ${this.dialect.forUpdateSql}`;
    const rows = await this.attempt(() => this.session.query<AssetRow>(sql, values));
    return new Map(rows.map((row) => [row.id, toAsset(row)]));
  }

  advanceClock(candidateUs: number, count: number): Promise<number> {
    return this.attempt(() => this.dialect.advanceClock(this.session, candidateUs, count));
  }

  async lockClock(): Promise<void> {
    await this.attempt(() =>
      this.session.query(`SELECT last_us FROM feed_clock WHERE id = 1 ${this.dialect.forUpdateSql}`),
    );
  }

  takeNumbers(day: string, count: number): Promise<number> {
    return this.attempt(() => this.dialect.takeNumbers(this.session, day, count));
  }

  async lockReceipts(ids: readonly string[]): Promise<Map<string, Receipt>> {
    const values = padded(ids);
    const sql = `SELECT ${RECEIPT_COLUMNS.join(', ')} FROM receipt WHERE id IN (${placesFor(values)}) ORDER BY id ${this.dialect.forUpdateSql}`;
    const rows = await this.attempt(() => this.session.query<ReceiptRow>(sql, values));
    return new Map(rows.map((row) => [row.id, toReceipt(row)]));
  }

  async insertReceipts(receipts: readonly Receipt[]): Promise<void> {
    try {
      await this.session.insertRows(RECEIPTS, receipts.map(toReceiptRow));
    } catch (error) {
      throw isDuplicate(error)
        ? new RetryableError('Another was first', { cause: error })
        : translate(error, this.database);
    }
  }

  async deleteReceipts(ids: readonly string[]): Promise<void> {
    const values = padded(ids);
    const sql = `DELETE FROM receipt WHERE id IN (${placesFor(values)})`;
    await this.attempt(() => this.session.execute(sql, values));
  }

  async findReceiptsBefore(us: number, most: number): Promise<string[]> {
    const sql = 'SELECT id FROM receipt WHERE created_us < ? ORDER BY created_us LIMIT ?';
    const rows = await this.attempt(() => this.session.query<{ id: string }>(sql, [BigInt(us), BigInt(most)]));
    return rows.map(({ id }) => id);
  }

  async insertRevisions(revisions: readonly Revision[]): Promise<void> {
    await this.attempt(() => this.session.insertRows(REVISIONS, revisions.map(toRevisionRow)));
  }

  async insertAudit(entries: readonly AuditEntry[]): Promise<void> {
    await this.attempt(() => this.session.insertRows(AUDIT, entries.map(toAuditRow)));
  }

  async markKeyUsed(id: string, day: string): Promise<void> {
    const sql = 'UPDATE api_key SET used_day = ? WHERE id = ? AND (used_day IS NULL OR used_day < ?)';
    await this.attempt(() => this.session.execute(sql, [day, id, day]));
  }

  async noteTime(us: number): Promise<void> {
    const noted = { ...WITNESS, overwriteSql: this.dialect.overwriteSql(['seen_us']) };
    await this.attempt(() => this.session.insertRows(noted, [[1, us, 0]]));
  }

  async insertAssets(assets: readonly Asset[]): Promise<void> {
    await this.attempt(() => this.session.insertRows(ASSETS, assets.map(toRow)));
  }

  async changeAssets(assets: readonly Asset[]): Promise<void> {
    const changed = { ...ASSETS, overwriteSql: this.dialect.overwriteSql(CHANGED) };
    await this.attempt(() => this.session.insertRows(changed, assets.map(toRow)));
  }

  async commit(): Promise<void> {
    try {
      await this.session.execute('COMMIT');
    } catch (error) {
      // Only an error that says so means a rollback. Any other may have come after the commit.
      if (this.database.judgeWrite(error) === 'retry')
        throw new RetryableError('COMMIT was rolled back', { cause: error });
      throw new OutcomeUnknownError('COMMIT was not answered', { cause: error });
    }
    this.database.writes.succeeded();
    this.giveBack(this.session);
  }

  async rollback(): Promise<void> {
    this.database.writes.gaveUp();
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
      throw translate(error, this.database);
    }
  }
}

/** For errors before COMMIT: nothing was kept, so the work may be tried again. `begin` finds out whether the database is still there. */
function translate(error: unknown, database: Database): unknown {
  return database.judgeWrite(error) === 'defect'
    ? error
    : new RetryableError('The database did not take the batch', { cause: error });
}
