import { beforeEach, describe, expect, it } from '@jest/globals';
import { AccessReader } from './access-reader.js';
import type { Database } from '../database.js';

const OWNED = 'a1';

/** A database with the key `k` and one asset. */
class AskedDatabase {
  readonly asked: { sql: string; values: readonly unknown[] }[] = [];

  async read(sql: string, values: readonly unknown[]): Promise<object[]> {
    this.asked.push({ sql, values });
    const key = { isKey: 1, id: '7', name: 'broker', role: 'broker', digest: 'k', usedDay: null };
    const rows = [
      { ...key, expiresUs: '5', revokedUs: null, disabledUs: null },
      { isKey: 0, id: OWNED, name: 'owner', digest: 'token' },
    ];
    return Promise.resolve(rows.filter(({ isKey, id, digest }) => values.includes(isKey === 1 ? digest : id)));
  }
}

let database: AskedDatabase;
let reader: AccessReader;

beforeEach(() => {
  database = new AskedDatabase();
  reader = new AccessReader(database as unknown as Database);
});

describe('the key and the owner', () => {
  it('are read by one statement', async () => {
    expect(await reader.find('k', OWNED)).toEqual({
      key: expect.objectContaining({ id: '7', account: { name: 'broker', role: 'broker' }, expiresUs: 5 }),
      owner: { owner: 'owner', tokenDigest: 'token' },
    });
    expect(database.asked.map(({ values }) => values)).toEqual([['k', OWNED]]);
  });

  it('are assigned to the right one of concurrent requests', async () => {
    const asked = [
      ['k', OWNED],
      ['unknown', OWNED],
      ['k', 'a2'],
      ['unknown', undefined],
      ['k', undefined],
      ['k', OWNED],
    ] as const;
    const found = await Promise.all(asked.map(([digest, assetId]) => reader.find(digest, assetId)));
    expect(found.map(({ key, owner }) => [key !== undefined, owner !== undefined])).toEqual([
      [true, true],
      [false, true],
      [true, false],
      [false, false],
      [true, false],
      [true, true],
    ]);
    expect(database.asked).toHaveLength(1);
  });
});
