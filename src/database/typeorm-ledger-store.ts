import { Injectable } from '@nestjs/common';
import {
  DatabaseAwayError,
  type LedgerStore,
  type LedgerTransaction,
  OutcomeUnknownError,
  RetryableError,
} from '../ledger/ledger-store.js';
import { ASSET_COLUMNS, type AssetRow, toAsset, toRow } from './asset-row.js';
import { AUDIT_COLUMNS, toAuditRow } from './audit-row.js';
import { Database } from './database.js';
import type { Dialect } from './dialects/dialect.js';
import { isDuplicate } from './dialects/error-code.js';
import type { Asset } from './entities/asset.entity.js';
import type { AuditEntry } from './entities/audit-entry.entity.js';
import type { Receipt } from './entities/receipt.entity.js';
import { RECEIPT_COLUMNS, type ReceiptRow, toReceipt, toReceiptRow } from './receipt-row.js';
import type { Session } from './session.js';

const COLUMNS = ASSET_COLUMNS.join(', ');
const PLACES = `(${placesFor(ASSET_COLUMNS)})`;
/** A change never touches who owns an asset, what it is, or when it began. */
const CHANGED = ['status', 'related_lot', 'body', 'version', 'modified_us', 'feed_us'];

/** The ledger's statements on a real database. */
@Injectable()
export class TypeOrmLedgerStore implements LedgerStore {
  constructor(private readonly database: Database) {}

  get isAway(): boolean {
    return this.database.isAway || this.database.writes.isOpen;
  }

  async begin(): Promise<LedgerTransaction> {
    await this.ready();
    this.database.writes.tried();
    let session: Session | undefined;
    try {
      session = await this.database.writerSession();
      for (const sql of this.database.dialect.beginSql) await session.execute(sql);
      return new Transaction(session, this.database);
    } catch (error) {
      session?.destroy();
      this.database.writes.gaveUp();
      throw translate(error, this.database);
    }
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
  ) {
    this.dialect = database.dialect;
  }

  async lockAssets(ids: readonly string[]): Promise<Map<string, Asset>> {
    const sql = `SELECT ${COLUMNS} FROM asset WHERE id IN (${placesFor(ids)}) ORDER BY id ${this.dialect.forUpdateSql}`;
    const rows = await this.attempt(() => this.session.query<AssetRow>(sql, [...ids]));
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
    const sql = `SELECT ${RECEIPT_COLUMNS.join(', ')} FROM receipt WHERE id IN (${placesFor(ids)}) ORDER BY id ${this.dialect.forUpdateSql}`;
    const rows = await this.attempt(() => this.session.query<ReceiptRow>(sql, [...ids]));
    return new Map(rows.map((row) => [row.id, toReceipt(row)]));
  }

  async insertReceipts(receipts: readonly Receipt[]): Promise<void> {
    const rows = receipts.map(() => `(${placesFor(RECEIPT_COLUMNS)})`).join(', ');
    const sql = `INSERT INTO receipt (${RECEIPT_COLUMNS.join(', ')}) VALUES ${rows}`;
    try {
      await this.session.execute(sql, receipts.flatMap(toReceiptRow));
    } catch (error) {
      throw isDuplicate(error)
        ? new RetryableError('Another was first', { cause: error })
        : translate(error, this.database);
    }
  }

  async deleteReceipts(ids: readonly string[]): Promise<void> {
    const sql = `DELETE FROM receipt WHERE id IN (${placesFor(ids)})`;
    await this.attempt(() => this.session.execute(sql, [...ids]));
  }

  async findReceiptsBefore(us: number, most: number): Promise<string[]> {
    const sql = 'SELECT id FROM receipt WHERE created_us < ? ORDER BY created_us LIMIT ?';
    const rows = await this.attempt(() => this.session.query<{ id: string }>(sql, [us, most]));
    return rows.map(({ id }) => id);
  }

  async insertAudit(entries: readonly AuditEntry[]): Promise<void> {
    const rows = entries.map(() => `(${placesFor(AUDIT_COLUMNS)})`).join(', ');
    const sql = `INSERT INTO audit (${AUDIT_COLUMNS.join(', ')}) VALUES ${rows}`;
    await this.attempt(() => this.session.execute(sql, entries.flatMap(toAuditRow)));
  }

  async markKeyUsed(id: string, day: string): Promise<void> {
    const sql = 'UPDATE api_key SET used_day = ? WHERE id = ? AND (used_day IS NULL OR used_day < ?)';
    await this.attempt(() => this.session.execute(sql, [day, id, day]));
  }

  async insertAssets(assets: readonly Asset[]): Promise<void> {
    await this.attempt(() => this.session.execute(insertSql(assets.length), assets.flatMap(toRow)));
  }

  async changeAssets(assets: readonly Asset[]): Promise<void> {
    const sql = `${insertSql(assets.length)} ${this.dialect.overwriteSql(CHANGED)}`;
    await this.attempt(() => this.session.execute(sql, assets.flatMap(toRow)));
  }

  async commit(): Promise<void> {
    try {
      await this.session.execute('COMMIT');
    } catch (error) {
      // Only what says that it was rolled back was; anything else may have come after the commit.
      if (this.database.takeWrite(error) === 'retry')
        throw new RetryableError('COMMIT was rolled back', { cause: error });
      throw new OutcomeUnknownError('COMMIT was not answered', { cause: error });
    }
    this.database.writes.taken();
    await this.session.release();
  }

  async rollback(): Promise<void> {
    this.database.writes.gaveUp();
    try {
      await this.session.execute('ROLLBACK');
      await this.session.release();
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

function placesFor(values: readonly unknown[]): string {
  return values.map(() => '?').join(', ');
}

function insertSql(rows: number): string {
  return `INSERT INTO asset (${COLUMNS}) VALUES ${Array.from({ length: rows }, () => PLACES).join(', ')}`;
}

/** Before COMMIT a failure has kept nothing, so the work may be tried again; whether there is a database to try it on, `begin` knows. */
function translate(error: unknown, database: Database): unknown {
  return database.takeWrite(error) === 'defect'
    ? error
    : new RetryableError('The database did not take the batch', { cause: error });
}
