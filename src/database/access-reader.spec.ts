import { setImmediate as turn } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { AccessReader } from './access-reader.js';
import type { Database } from './database.js';
import type { Failure } from './dialects/dialect.js';
import { WriteBreaker } from './trouble.js';

const OWNED = 'a1';

/** A database that knows the key `k` and one asset, and what it was asked. */
class AskedDatabase {
  readonly asked: { sql: string; values: readonly unknown[] }[] = [];
  readonly access = new WriteBreaker(undefined, () => nowMs);
  readonly dialect = { failureOf: () => this.failure, troubleOf: () => 'held' };
  failure: Failure | undefined;
  answers: Promise<void> = Promise.resolve();

  async read(sql: string, values: readonly unknown[]): Promise<object[]> {
    this.asked.push({ sql, values });
    await this.answers;
    if (this.failure !== undefined) throw Object.assign(new Error('refused'), { cause: new Error('held') });
    const key = { isKey: 1, id: '7', name: 'broker', role: 'broker', digest: 'k', usedDay: null };
    const rows = [
      { ...key, expiresUs: '5', revokedUs: null, disabledUs: null },
      { isKey: 0, id: OWNED, name: 'owner', digest: 'token' },
    ];
    return Promise.resolve(rows.filter(({ isKey, id, digest }) => values.includes(isKey === 1 ? digest : id)));
  }
}

let nowMs: number;
let database: AskedDatabase;
let reader: AccessReader;

beforeEach(() => {
  nowMs = 0;
  database = new AskedDatabase();
  reader = new AccessReader(database as unknown as Database);
});

describe('who may write', () => {
  it('is read with one statement: the key, and whose the asset is', async () => {
    expect(await reader.find('k', OWNED)).toEqual({
      key: expect.objectContaining({ id: '7', account: { name: 'broker', role: 'broker' }, expiresUs: 5 }),
      owner: { owner: 'owner', tokenDigest: 'token' },
    });
    expect(database.asked.map(({ values }) => values)).toEqual([['k', OWNED]]);
  });

  it('is each told apart, where many come together', async () => {
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

  it('is read without assets where there is none to be changed', async () => {
    await Promise.all([reader.find('k', undefined), reader.find('k', undefined)]);
    expect(database.asked.map(({ values }) => values)).toEqual([['k']]);
    expect(database.asked[0]?.sql).not.toContain('token_digest');
  });

  it('is asked for in few texts, which connections keep prepared', async () => {
    for (let keys = 1; keys <= 64; keys++) {
      const ids = (i: number): string | undefined => (i % 3 === 0 ? undefined : `asset${i}`);
      await Promise.all(Array.from({ length: keys }, (_, i) => reader.find(`key${i % 5}`, ids(i))));
    }
    for (const { sql, values } of database.asked) expect(sql.split('?')).toHaveLength(values.length + 1);
    expect(new Set(database.asked.map(({ sql }) => sql)).size).toBeLessThanOrEqual(14);
  });

  describe('while somebody holds the tables', () => {
    const find = (): Promise<unknown> => reader.find('k', OWNED).catch((error: unknown) => error);

    it('is asked for by one a second, and the others are refused at once', async () => {
      database.failure = 'retry';
      for (let i = 0; i < 3; i++) expect(await find()).toBeInstanceOf(Error);
      expect(database.asked).toHaveLength(1);
      nowMs = 1_000;
      let resolve = (): void => undefined;
      database.answers = new Promise((answered) => (resolve = answered));
      const tries = find();
      while (database.asked.length < 2) await turn();
      expect(await find()).toMatchObject({ status: 503 });
      resolve();
      expect(await tries).toMatchObject({ message: 'refused' });
      expect(database.asked).toHaveLength(2);
      expect(database.access.refusal).toBe('held');
    });

    it('is known to be free again by who tries', async () => {
      database.failure = 'refused';
      await find();
      [database.failure, nowMs] = [undefined, 1_000];
      expect(await find()).toMatchObject({ owner: { owner: 'owner' } });
      expect(database.access.refusal).toBeUndefined();
      expect(await find()).toMatchObject({ owner: { owner: 'owner' } });
    });

    it.each(['away', 'defect'] as const)('is not what an error of another kind (%s) shows', async (failure) => {
      database.failure = failure;
      for (let i = 0; i < 2; i++) await find();
      expect([database.asked.length, database.access.refusal]).toEqual([2, undefined]);
    });
  });
});
