import { Injectable } from '@nestjs/common';
import { Database } from './database.js';
import type { Role } from './entities/account.entity.js';
import type { Asset } from './entities/asset.entity.js';
import { Loader } from './loader.js';
import type { Receipt } from './entities/receipt.entity.js';
import { padded, placesFor } from './places.js';
import { RECEIPT_COLUMNS, type ReceiptRow, toReceipt } from './receipt-row.js';

/** An account as a request acts for it. */
export interface ActingAccount {
  name: string;
  role: Role;
}

/** A key that was found by its digest. Instants are microseconds since 1970 UTC. */
export interface FoundKey {
  id: string;
  account: ActingAccount;
  digest: string;
  expiresUs: number | null;
  revokedUs: number | null;
  /** Of its account. */
  disabledUs: number | null;
  /** The registry's day on which it was accepted last. */
  usedDay: string | null;
}

/** Whose an asset is. */
export type AssetOwner = Pick<Asset, 'owner' | 'tokenDigest'>;

/** What is known of who writes, and of what; undefined where there is no such key, or asset. */
export interface Access {
  key: FoundKey | undefined;
  owner: AssetOwner | undefined;
}

interface KeyRow {
  is_key: 1;
  id: string;
  name: string;
  role: Role;
  digest: string;
  expires_us: number | string | null;
  revoked_us: number | string | null;
  disabled_us: number | string | null;
  used_day: string | null;
}

/** In the columns of the other. */
interface OwnerRow {
  is_key: 0;
  /** Of the asset. */
  id: string;
  /** Of its owner. */
  name: string;
  /** Of its token. */
  digest: string;
}

const KEYS_SQL = `SELECT 1 AS is_key, api_key.id, account.name, account.role, api_key.digest, api_key.expires_us, api_key.revoked_us,
  account.disabled_us, api_key.used_day
  FROM api_key JOIN account ON account.id = api_key.account_id WHERE api_key.digest IN`;
const RECEIPT_SQL = `SELECT ${RECEIPT_COLUMNS.join(', ')} FROM receipt WHERE id = ?`;
const OWNERS_SQL = 'SELECT 0, id, owner, NULL, token_digest, NULL, NULL, NULL, NULL FROM asset WHERE id IN';

/** One statement at a time: it is short, and most requests come with the same keys. */
const LIMITS = { keys: 64, underWay: 1 };

/** Reads what decides whether a request may write: one statement, for all requests that come together. */
@Injectable()
export class AccessReader {
  /** By digest and id, with a space between; without an id, the digest and the space. */
  private readonly access = new Loader((asked: readonly string[]) => this.fetch(asked), LIMITS);

  constructor(private readonly database: Database) {}

  /**
   * The rest of an asset is read under its lock, with its owner once more.
   * @param digest SHA-256 of the key in hex
   * @param assetId id of the asset that is to be changed; undefined for a new one
   * @throws ApiError 503 while the database is away
   */
  async find(digest: string, assetId: string | undefined): Promise<Access> {
    return (await this.access.load(`${digest} ${assetId ?? ''}`)) as Access;
  }

  /** What is kept of a creation that may be repeated. @throws ApiError 503 while the database is away */
  async findReceipt(id: string): Promise<Receipt | undefined> {
    const [row] = await this.database.read<ReceiptRow>(RECEIPT_SQL, [id]);
    return row === undefined ? undefined : toReceipt(row);
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
    return this.database.read<KeyRow>(`${KEYS_SQL} (${placesFor(values)})`, values);
  }

  /** As many places for the ones as for the others: there are few texts of the statement. */
  private readBoth(digests: readonly string[], assetIds: readonly string[]): Promise<(KeyRow | OwnerRow)[]> {
    const places = padded(Array.from({ length: Math.max(digests.length, assetIds.length) }, (_, i) => i));
    const filled = (all: readonly string[]): string[] => places.map((i) => all[Math.min(i, all.length - 1)] as string);
    const sql = `${KEYS_SQL} (${placesFor(places)}) UNION ALL ${OWNERS_SQL} (${placesFor(places)})`;
    return this.database.read(sql, [...filled(digests), ...filled(assetIds)]);
  }
}

function isKey(row: KeyRow | OwnerRow): row is KeyRow {
  return row.is_key === 1;
}

function isOwner(row: KeyRow | OwnerRow): row is OwnerRow {
  return row.is_key === 0;
}

function toOwner({ name, digest }: OwnerRow): AssetOwner {
  return { owner: name, tokenDigest: digest };
}

function toFoundKey({
  id,
  name,
  role,
  digest,
  used_day: usedDay,
  expires_us: expires,
  revoked_us: revoked,
  disabled_us: disabled,
}: KeyRow): FoundKey {
  return {
    id,
    account: { name, role },
    digest,
    expiresUs: expires === null ? null : Number(expires),
    revokedUs: revoked === null ? null : Number(revoked),
    disabledUs: disabled === null ? null : Number(disabled),
    usedDay,
  };
}
