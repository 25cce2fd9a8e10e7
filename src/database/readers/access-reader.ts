import { Injectable } from '@nestjs/common';
import { Database } from '../database.js';
import type { Account, Role } from '../entities/account.entity.js';
import { ApiKey } from '../entities/api-key.entity.js';
import type { Asset } from '../entities/asset.entity.js';
import type { Receipt } from '../entities/receipt.entity.js';
import { EntityTable, type RowOf } from '../entities/entity-table.js';
import { DataLoader } from './data-loader.js';
import { RECEIPTS } from '../repositories/receipts.js';
import { padded, placeholdersFor } from '../connections/session.js';

/** The account that a request acts for. */
export interface ActingAccount {
  name: string;
  role: Role;
}

export interface FoundKey extends Omit<ApiKey, 'account' | 'createdUs'> {
  account: ActingAccount;
  /** When the account was disabled. */
  disabledUs: Account['disabledUs'];
  /** The day of the account's last write, and the bytes that it stored on that day; null if it never wrote. */
  storedDay: string | null;
  storedBytes: number | null;
}

export type AssetOwner = Pick<Asset, 'owner' | 'tokenDigest'>;

/** The key and the asset's owner; undefined if not found. */
interface Access {
  key: FoundKey | undefined;
  owner: AssetOwner | undefined;
}

type KeyRow = RowOf<Omit<FoundKey, 'account'>> & ActingAccount & { isKey: 1 };

/** An owner in the columns of a key. */
interface OwnerRow {
  isKey: 0;
  /** The asset's id. */
  id: string;
  /** The name of its owner. */
  name: string;
  /** Digest of its owner token. */
  digest: string;
}

const KEYS = EntityTable.of(ApiKey).without('account', 'createdUs');
const OWNER_COLUMNS: Record<string, string> = { id: 'id', digest: 'token_digest' };
const KEYS_SQL = `SELECT 1 AS isKey, ${KEYS.select((column) => `api_key.${column}`)}, account.name, account.role, account.disabled_us AS disabledUs,
  stored_bytes.day AS storedDay, stored_bytes.bytes AS storedBytes
  FROM api_key JOIN account ON account.id = api_key.account_id LEFT JOIN stored_bytes ON stored_bytes.account = account.name
  WHERE api_key.digest IN`;
const RECEIPT_SQL = `SELECT ${RECEIPTS.select()} FROM receipt WHERE id = ?`;
const OWNERS_SQL = `SELECT 0, ${KEYS.select((column) => OWNER_COLUMNS[column] ?? 'NULL')}, owner, NULL, NULL, NULL, NULL FROM asset WHERE id IN`;

/** One statement at a time, because it is short and most requests use the same keys. */
const LIMITS = { keys: 64, concurrent: 1 };

/** Reads keys and owners to authorise writes, with one statement for concurrent requests. */
@Injectable()
export class AccessReader {
  /** Keyed by `<digest> <id>`; without an asset, by the digest and the space. */
  private readonly access = new DataLoader((asked: readonly string[]) => this.fetch(asked), LIMITS);

  constructor(private readonly database: Database) {}

  /**
   * The ledger reads the rest of the asset, and the owner again, under the asset's lock.
   * @param digest SHA-256 of the key in hex
   * @param assetId id of the asset to change; undefined for a new one
   * @throws ApiError 503 while the database is away
   */
  async find(digest: string, assetId: string | undefined): Promise<Access> {
    return (await this.access.load(`${digest} ${assetId ?? ''}`)) as Access;
  }

  /** @throws ApiError 503 while the database is away */
  async findReceipt(id: string): Promise<Receipt | undefined> {
    const [row] = await this.database.read<RowOf<Receipt>>(RECEIPT_SQL, [id]);
    return row && RECEIPTS.toEntity(row);
  }

  /**
   * Sizes of the bodies of those of these assets that exist, in bytes.
   * @throws ApiError 503 while the database is away
   */
  async sizesOf(ids: readonly string[]): Promise<Map<string, number>> {
    if (ids.length === 0) return new Map();
    const values = padded(ids);
    const sql = `SELECT id, OCTET_LENGTH(body) AS bytes FROM asset WHERE id IN (${placeholdersFor(values)})`;
    const rows = await this.database.read<{ id: string; bytes: number }>(sql, values);
    return new Map(rows.map(({ id, bytes }) => [id, Number(bytes)]));
  }

  private async fetch(asked: readonly string[]): Promise<Map<string, Access>> {
    const pairs = asked.map((one) => one.split(' ') as [string, string]);
    const digests = [...new Set(pairs.map(([digest]) => digest))];
    const assetIds = [...new Set(pairs.map(([, assetId]) => assetId))].filter((id) => id !== '');
    const rows = await (assetIds.length === 0 ? this.readKeys(digests) : this.readBoth(digests, assetIds));
    const keys = new Map(rows.filter(isKey).map((row) => [row.digest, toFoundKey(row)]));
    const owners = new Map(rows.filter(isOwner).map((row) => [row.id, toOwner(row)]));
    const access = pairs.map(([digest, assetId]) => ({ key: keys.get(digest), owner: owners.get(assetId) }));
    return new Map(asked.map((one, i) => [one, access[i] as Access]));
  }

  private readKeys(digests: readonly string[]): Promise<KeyRow[]> {
    const values = padded(digests);
    return this.database.read<KeyRow>(`${KEYS_SQL} (${placeholdersFor(values)})`, values);
  }

  /** Binds as many digests as ids, so that there are few different texts to prepare. */
  private readBoth(digests: readonly string[], assetIds: readonly string[]): Promise<(KeyRow | OwnerRow)[]> {
    const indexes = padded(Array.from({ length: Math.max(digests.length, assetIds.length) }, (_, i) => i));
    const filled = (all: readonly string[]): string[] => indexes.map((i) => all[Math.min(i, all.length - 1)] as string);
    const sql = `${KEYS_SQL} (${placeholdersFor(indexes)}) UNION ALL ${OWNERS_SQL} (${placeholdersFor(indexes)})`;
    return this.database.read(sql, [...filled(digests), ...filled(assetIds)]);
  }
}

function isKey(row: KeyRow | OwnerRow): row is KeyRow {
  return row.isKey === 1;
}

function isOwner(row: KeyRow | OwnerRow): row is OwnerRow {
  return row.isKey === 0;
}

function toOwner({ name, digest }: OwnerRow): AssetOwner {
  return { owner: name, tokenDigest: digest };
}

function toFoundKey(row: KeyRow): FoundKey {
  const { name, role, disabledUs, storedDay, storedBytes } = row;
  return {
    ...KEYS.toEntity(row),
    account: { name, role },
    disabledUs: disabledUs === null ? null : Number(disabledUs),
    storedDay,
    storedBytes: storedBytes === null ? null : Number(storedBytes),
  };
}
