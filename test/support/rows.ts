import type { DataSource } from 'typeorm';
import { newApiKey, secretDigest } from '../../src/auth/api-key.js';
import { newId } from '../../src/feed/asset-identifiers.js';
import { retryWhileLocked, withDatabase } from './retry-while-locked.js';
import type { TestRegistry } from './registry.js';

/** A registry, by its database. */
type Rows = Pick<TestRegistry, 'databaseUrl'>;

/** Runs one statement on a registry's database, bypassing the service. */
export function runSql(registry: Rows, sql: string, values: unknown[] = []): Promise<unknown> {
  return withRows(registry, (database) => database.query(sql, values));
}

/** Tables that change without requests: leases, and the time of last work. */
const BY_ITSELF = new Set(['service_lease', 'clock_witness']);
/** Written after the first request of a day. */
const USED_DAY = 'used_day';

/** The whole contents of the registry's database as one text, except for what changes without requests. */
export function everythingStored(registry: Rows): Promise<string> {
  return withRows(registry, async (database) => {
    const tables = database.entityMetadatas.filter(({ tableName }) => !BY_ITSELF.has(tableName));
    const rows = await Promise.all(tables.map(({ tableName }) => database.query(`SELECT * FROM ${tableName}`)));
    return JSON.stringify(rows, (column, value: unknown) => (column === USED_DAY ? undefined : value));
  });
}

/** The rows of these tables as one text. */
export function storedIn(registry: Rows, tables: readonly string[]): Promise<string> {
  return withRows(registry, async (database) => {
    const rows = await Promise.all(tables.map((table) => database.query(`SELECT * FROM ${table} ORDER BY 1`)));
    return JSON.stringify(rows);
  });
}

interface NewKey {
  account: string;
  role?: 'broker' | 'concierge' | 'administrator';
  expires?: Date;
  revoked?: Date;
}

/** Adds an account with one key. @returns the key */
export async function addKey(registry: TestRegistry, newKey: NewKey): Promise<string> {
  const { account, role = 'broker', expires, revoked } = newKey;
  const [accountId, key] = [newId(), newApiKey()];
  const us = (date: Date | undefined): number | null => (date === undefined ? null : date.getTime() * 1_000);
  await runSql(registry, 'INSERT INTO account (id, name, role, created_us) VALUES (?, ?, ?, 0)', [
    accountId,
    account,
    role,
  ]);
  await runSql(
    registry,
    'INSERT INTO api_key (id, account_id, digest, created_us, expires_us, revoked_us) VALUES (?, ?, ?, 0, ?, ?)',
    [newId(), accountId, secretDigest(key), us(expires), us(revoked)],
  );
  return key;
}

function withRows<T>({ databaseUrl }: Rows, work: (database: DataSource) => Promise<T>): Promise<T> {
  return withDatabase(databaseUrl, (database) => retryWhileLocked(() => work(database)));
}
