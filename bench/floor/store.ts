/** A new row; the other columns are the same in all. */
export interface NewRow {
  id: string;
  assetId: string;
  owner: string;
  tokenDigest: string;
  body: string;
  us: number;
}

/** What a change needs to know of an asset. */
export interface StoredAsset {
  body: string;
  owner: string;
  tokenDigest: string;
  status: string;
}

/** The floor's statements, each its own transaction. */
export interface Store {
  /** The asset's JSON text. */
  findBody(id: string): Promise<string | undefined>;
  find(id: string): Promise<StoredAsset | undefined>;
  /** Ids and instants after an instant, in microseconds. */
  page(afterUs: number, limit: number): Promise<[id: string, us: number][]>;
  wholePage(afterUs: number, limit: number): Promise<[body: string, us: number][]>;
  insert(row: NewRow): Promise<void>;
  update(id: string, body: string, us: number): Promise<void>;
  /** The names of accounts by the digests of their keys. */
  accounts(): Promise<Map<string, string>>;
  /** The highest number of a day's assetIDs. @param prefix such as `UA-2026-11-21-` */
  lastNumber(prefix: string): Promise<number>;
  close(): Promise<void>;
}

export const SQL = {
  body: 'SELECT body FROM asset WHERE id = ?',
  asset: 'SELECT body, owner, token_digest, status FROM asset WHERE id = ?',
  page: 'SELECT id, feed_us FROM asset WHERE feed_us > ? ORDER BY feed_us LIMIT ?',
  wholePage: 'SELECT body, feed_us FROM asset WHERE feed_us > ? ORDER BY feed_us LIMIT ?',
  insert: `INSERT INTO asset (id, asset_id, asset_type, status, owner, token_digest, body, version, created_us, modified_us)
    VALUES (?, ?, 'basic', 'draft', ?, ?, ?, 1, ?, ?)`,
  update: `UPDATE asset SET body = ?, modified_us = ?, feed_us = CASE status WHEN 'draft' THEN NULL ELSE ? END,
    version = version + 1 WHERE id = ?`,
  accounts: 'SELECT digest, account FROM api_key',
  lastNumber: 'SELECT asset_id FROM asset WHERE asset_id LIKE ? ORDER BY LENGTH(asset_id) DESC, asset_id DESC LIMIT 1',
};

export function insertValues({ id, assetId, owner, tokenDigest, body, us }: NewRow): (string | number)[] {
  return [id, assetId, owner, tokenDigest, body, us, us];
}
