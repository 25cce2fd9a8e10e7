import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  ASSETS,
  change,
  changeAs,
  create,
  createFrom,
  type JsonObject,
  LOT,
  type Owned,
  publish,
  read,
} from '../support/assets.js';
import claimRights from '../../src/asset-types/claim-rights/claim-rights.example.json' with { type: 'json' };
import { LARGE_FULL_BODY_INTERVAL, FULL_BODY_INTERVAL } from '../../src/database/readers/body-delta.js';
import { databases } from '../support/databases.js';
import { expectError } from '../support/errors.js';
import { microsOf } from '../support/log-watch.js';
import { addAssets } from '../support/many-assets.js';
import { type Entry as Listed, follow } from '../support/pages.js';
import { retryUnavailable } from '../support/retry-unavailable.js';
import { type Reply, TestRegistry } from '../support/registry.js';
import { servedRegistry } from '../support/served-registry.js';
import { everythingStored, runSql } from '../support/rows.js';

interface Entry {
  dateModified: string;
  status: string;
  changed?: string[];
  relatedLot?: string;
}

const UNKNOWN = 'a'.repeat(32);
const SECRET = 'a secret of the draft';

describe.each(databases)('the history of an asset on $name', (kind) => {
  const registry = servedRegistry(kind);

  const historyOf = (id: string, query = ''): Promise<Reply> => registry.send(`${ASSETS}/${id}/history?${query}`);
  const entriesOf = async (id: string, query = ''): Promise<Entry[]> => {
    const { status, json } = await retryUnavailable(() => historyOf(id, query));
    expect(status).toBe(200);
    return json.data as Entry[];
  };
  const at = (id: string, instant: string): Promise<Reply> =>
    retryUnavailable(() => registry.send(`${ASSETS}/${id}?at=${encodeURIComponent(instant)}`));
  /** PATCH by the owner, which has to succeed. @returns dateModified */
  const changed = async (owned: Owned, data: JsonObject): Promise<string> => {
    const reply = await retryUnavailable(() => change(registry, owned, data));
    expect(reply.status).toBe(200);
    return reply.json.data.dateModified as string;
  };

  describe('is a list of its public states', () => {
    it('with every change, the oldest first, and the names of the fields that each changed', async () => {
      const owned = await publish(registry);
      const published = owned.asset.dateModified;
      const second = await changed(owned, { title: 'другий', quantity: 7 });
      const third = (await changeAs(registry, 'concierge', owned.id, { status: 'active', relatedLot: LOT })).json.data;
      const fourth = (await changeAs(registry, 'concierge', owned.id, { status: 'complete' })).json.data;
      expect(await entriesOf(owned.id)).toEqual([
        { dateModified: published, status: 'pending' },
        { dateModified: second, status: 'pending', changed: ['title', 'quantity'] },
        { dateModified: third.dateModified, status: 'active', relatedLot: LOT, changed: ['status', 'relatedLot'] },
        { dateModified: fourth.dateModified, status: 'complete', relatedLot: LOT, changed: ['status'] },
      ]);
    });

    it('without changes that had no effect or were refused', async () => {
      const owned = await publish(registry);
      await changed(owned, { status: 'pending' });
      expect((await change(registry, owned, { quantity: -1 })).status).toBe(422);
      expect(await entriesOf(owned.id)).toHaveLength(1);
    });

    it('with a group change of 500 assets, in each of their histories', () =>
      TestRegistry.during(kind, {}, async (other) => {
        await publish(other);
        await addAssets(other.databaseUrl, 500);
        const before = (await other.send(`${ASSETS}?limit=500`)).json.data as Listed[];
        const data = before.map(({ id }) => ({ id, status: 'active', relatedLot: LOT }));
        const reply = await retryUnavailable(() =>
          other.send(ASSETS, { method: 'PATCH', key: 'concierge', body: { data } }),
        );
        const after = reply.json.data as Listed[];
        expect([reply.status, after.map(({ id }) => id)]).toEqual([200, before.map(({ id }) => id)]);
        for (const [i, { id, dateModified }] of after.entries())
          expect((await other.send(`${ASSETS}/${id}/history`)).json.data).toEqual([
            { dateModified: before[i]?.dateModified, status: 'pending' },
            { dateModified, status: 'active', relatedLot: LOT, changed: ['status', 'relatedLot'] },
          ]);
      }));

    it('with the states of its asset type, and the fields that a move sets', async () => {
      const owned = await createFrom(registry, claimRights);
      await changed(owned, { status: 'pending' });
      for (const data of [{ status: 'verification', relatedLot: LOT }, { status: 'pending' }])
        await changeAs(registry, 'concierge', owned.id, data);
      const entries = await entriesOf(owned.id);
      expect(entries.map(({ status, relatedLot, changed: fields }) => ({ status, relatedLot, fields }))).toEqual([
        { status: 'pending', relatedLot: undefined, fields: undefined },
        { status: 'verification', relatedLot: LOT, fields: ['status', 'relatedLot'] },
        { status: 'pending', relatedLot: undefined, fields: ['status', 'relatedLot'] },
      ]);
    });
  });

  describe('has pages, as the listing has', () => {
    let owned: Owned;
    let entries: Entry[];

    beforeAll(async () => {
      owned = await publish(registry);
      for (const title of ['two', 'three', 'four', 'five']) await changed(owned, { title });
      entries = await entriesOf(owned.id);
    });

    it('of at most `limit` entries, which show every state once', async () => {
      const path = `${ASSETS}/${owned.id}/history?limit=2`;
      expect(await follow(registry, path)).toEqual(entries);
      expect(await follow(registry, `${path}&descending=1`)).toEqual(entries.toReversed());
    });

    it.each([
      ['limit=0', 'limit'],
      ['offset=yesterday', 'offset'],
      ['at=2017-08-16T25:00', 'at'],
      ['at=2017-08-16&at=2017-08-16', 'at'],
    ])('and refuses %s for every id', async (query, name) => {
      for (const id of [owned.id, UNKNOWN, 'x']) expectError(await historyOf(id, query), 400, 'header', name);
    });
  });

  describe('shows the whole asset at an instant', () => {
    let owned: Owned;
    /** Answers to a GET after each change. */
    let answers: Reply[];

    beforeAll(async () => {
      owned = await publish(registry, { title: 'Перша 🏡  ', description: 'é\r\n"\\' });
      answers = [await read(registry, owned)];
      for (const data of [{ title: 'друга' }, { quantity: 2 }, { status: 'deleted' }]) {
        await changed(owned, data);
        answers.push(await read(registry, owned));
      }
    });
    const instantOf = (answer: Reply | undefined): string => answer?.json.data.dateModified as string;
    /** A microsecond away. */
    const moved = (instant: string, by: number): string => {
      const us = microsOf(instant) + by;
      return new Date(Math.floor(us / 1_000)).toISOString().replace('Z', `${String(us % 1_000).padStart(3, '0')}Z`);
    };

    it('as it was answered then, byte for byte and with the same ETag, exactly at a change and until the next', async () => {
      for (const [i, answer] of answers.entries()) {
        const next = answers[i + 1];
        const until = next === undefined ? '2100-01-01' : moved(instantOf(next), -1);
        for (const instant of [instantOf(answer), until]) {
          for (const path of ['', '/history']) {
            const then = await registry.send(`${ASSETS}/${owned.id}${path}?at=${encodeURIComponent(instant)}`);
            expect([then.status, then.text]).toEqual([200, answer.text]);
            expect(then.headers.get('ETag')).toBe(answer.headers.get('ETag'));
          }
        }
      }
    });

    it('reads instants as the listing reads its offset', async () => {
      const [first] = answers as [Reply];
      const instant = instantOf(first);
      for (const text of [instant, instant.replace('+', ' '), instant.replace('+', '%2B').replace(/:(\d\d)$/, '$1')])
        expect((await registry.send(`${ASSETS}/${owned.id}?at=${text}`)).text).toBe(first.text);
      for (const query of ['at=', 'at', 'other=1'])
        expect((await registry.send(`${ASSETS}/${owned.id}?${query}`)).text).toBe(answers.at(-1)?.text);
      for (const query of ['at=1', 'at=now', 'at=%zz', 'at=a&at=b'])
        expectError(await registry.send(`${ASSETS}/${owned.id}?${query}`), 400, 'header', 'at');
    });

    it('and 404 before it was public', async () => {
      for (const instant of [owned.asset.date, moved(owned.asset.dateModified, -1), '2017-08-16'])
        expectError(await at(owned.id, instant), 404, 'header', 'id');
    });

    it('for any number of changes and any similarity of its bodies', async () => {
      const often = await publish(registry);
      const texts = ['', 'x', '🏡', '🏢', 'дім', 'двір', '"', '\\', 'aaaa', 'aa', '𝄞🏡', 'é'];
      const known = [await read(registry, often)];
      for (let i = 0; i < 2 * FULL_BODY_INTERVAL; i++) {
        const text = `${texts[(i * 7) % texts.length]}${texts[(i * 5) % texts.length]}`;
        await changed(often, i % 3 === 0 ? { description: text } : { title: `${text}${i % 2}` });
        known.push(await read(registry, often));
      }
      for (const answer of known) expect((await at(often.id, instantOf(answer))).text).toBe(answer.text);
    });

    it('however often it was changed while it was large, and while it was not', async () => {
      const often = await publish(registry);
      const known = [await read(registry, often)];
      const texts = [...Array.from({ length: LARGE_FULL_BODY_INTERVAL + 4 }, () => 'я'.repeat(16 * 1024)), ...'small'];
      for (const [i, description] of texts.entries()) {
        await changed(often, { title: `title ${i}`, description });
        known.push(await read(registry, often));
      }
      for (const answer of known) expect((await at(often.id, instantOf(answer))).text === answer.text).toBe(true);
      const sql = 'SELECT SUM(OCTET_LENGTH(body)) AS bytes FROM revision WHERE asset = ?';
      const [{ bytes }] = (await runSql(registry, sql, [often.id])) as [{ bytes: number }];
      expect(Number(bytes)).toBeLessThan(4 * 2 * 16 * 1024);
    });
  });

  describe('hides the states of a draft', () => {
    let owned: Owned;
    let draftInstants: string[];

    beforeEach(async () => {
      owned = await create(registry, { description: SECRET });
      draftInstants = [owned.asset.date];
      for (const title of [SECRET, `${SECRET} too`, 'public'])
        draftInstants.push(await changed(owned, { title, quantity: 1 + draftInstants.length }));
    });

    it('while it is a draft: the history is empty, and every instant is 404', async () => {
      const { json } = await historyOf(owned.id);
      expect(json).toMatchObject({ data: [], next_page: { offset: '' } });
      for (const instant of [...draftInstants, '2100-01-01'])
        expectError(await at(owned.id, instant), 404, 'header', 'id');
    });

    it('and afterwards: the history begins with the publication and does not show earlier states', async () => {
      await changed(owned, { status: 'pending', description: 'public' });
      const { text, json } = await historyOf(owned.id);
      expect(json.data).toEqual([{ dateModified: expect.any(String), status: 'pending' }]);
      const answers = [text, (await historyOf(owned.id, 'descending=1')).text];
      for (const instant of draftInstants) {
        const then = await at(owned.id, instant);
        expect(then.status).toBe(404);
        answers.push(then.text, (await historyOf(owned.id, `at=${encodeURIComponent(instant)}`)).text);
      }
      expect(answers.filter((answer) => answer.includes(SECRET))).toEqual([]);
      expect(await everythingStored(registry)).toContain(SECRET);
    });
  });

  it('is unknown of an asset that there is not', async () => {
    for (const id of [UNKNOWN, 'x', UNKNOWN.toUpperCase()]) {
      expectError(await historyOf(id), 404, 'header', 'id');
      expectError(await at(id, '2100-01-01'), 404, 'header', 'id');
    }
  });

  it('begins at the first recorded state if an earlier version changed the asset', async () => {
    const owned = await publish(registry);
    const second = await changed(owned, { title: 'two' });
    const third = await changed(owned, { title: 'three' });
    await runSql(registry, 'DELETE FROM revision WHERE asset = ? AND version < 3', [owned.id]);
    expect(await entriesOf(owned.id)).toEqual([
      { dateModified: second, status: 'pending' },
      { dateModified: third, status: 'pending', changed: ['title'] },
    ]);
    expect((await at(owned.id, owned.asset.dateModified)).status).toBe(404);
    expect((await at(owned.id, second)).json.data.title).toBe('two');
  });

  it('has a gap if an earlier version changed the asset in between', async () => {
    const owned = await publish(registry);
    const second = await changed(owned, { title: 'two' });
    const third = await changed(owned, { title: 'three' });
    await runSql(registry, 'DELETE FROM revision WHERE asset = ? AND version = 3', [owned.id]);
    expect(await entriesOf(owned.id)).toEqual([
      { dateModified: owned.asset.dateModified, status: 'pending' },
      { dateModified: third, status: 'pending' },
    ]);
    // The stored difference of the first body refers to the second, which is unreadable.
    for (const instant of [owned.asset.dateModified, second])
      expectError(await at(owned.id, instant), 404, 'header', 'id');
    expect((await at(owned.id, third)).json.data.title).toBe('three');
  });

  it('answers If-None-Match as other resources do, with its ETag', async () => {
    const owned = await publish(registry);
    const path = `${ASSETS}/${owned.id}/history`;
    const plain = await registry.send(path);
    const etag = plain.headers.get('ETag') ?? '';
    expect(etag).toMatch(/^W\/"/);
    const known = await registry.send(path, { headers: { 'If-None-Match': etag } });
    expect([known.status, known.text, known.headers.get('ETag')]).toEqual([304, '', etag]);
    expect(known.headers.get('Link')).toBe(plain.headers.get('Link'));
    await changed(owned, { title: 'other' });
    expect((await registry.send(path, { headers: { 'If-None-Match': etag } })).status).toBe(200);
  });

  it('shows a change as soon as it is answered, in feed order, under load', async () => {
    const owned = await publish(registry);
    const titles = Array.from({ length: 20 }, (_, i) => `title ${i}`);
    const instants = await Promise.all(
      titles.map(async (title) => {
        const instant = await changed(owned, { title });
        expect((await at(owned.id, instant)).json.data.title).toBe(title);
        const [last] = await entriesOf(owned.id, 'descending=1&limit=1');
        expect((last?.dateModified ?? '') >= instant).toBe(true);
        return instant;
      }),
    );
    const known = (await entriesOf(owned.id)).map(({ dateModified }) => dateModified);
    expect(known).toEqual([owned.asset.dateModified, ...instants.toSorted()]);
  });
});
