import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { ReadAsset } from '../src/database/asset-row.js';
import { FeedView } from '../src/database/feed-view.js';
import { ASSETS, change, create, type JsonObject, type Owned, publish } from './support/assets.js';
import { databases } from './support/databases.js';
import { addAssets } from './support/many-assets.js';
import { follow, type Entry } from './support/pages.js';
import { TestRegistry } from './support/registry.js';
import { until } from './support/until.js';

const SNAPSHOT = `${ASSETS}/snapshot.jsonl.gz`;
const DIGEST = `${ASSETS}/digest`;
/** More than one statement of a snapshot and one of a digest read. */
const MANY = 1_234;

interface Snapshot {
  head: { offset: string; feed_epoch: string };
  assets: Entry[];
  headers: Headers;
}

async function snapshotOf(url: string, path = SNAPSHOT): Promise<Snapshot> {
  const response = await fetch(url + path);
  const lines = gunzipSync(Buffer.from(await response.arrayBuffer()))
    .toString()
    .split('\n');
  expect(lines.pop()).toBe('');
  const [head, ...assets] = lines.map((line) => JSON.parse(line) as JsonObject);
  return { head: head as unknown as Snapshot['head'], assets: assets as Entry[], headers: response.headers };
}

/** As anyone would count it who keeps a copy. */
function digestOf(entries: readonly Pick<Entry, 'id' | 'dateModified'>[]): string {
  const sum = Buffer.alloc(16);
  for (const { id, dateModified } of entries) {
    const digest = createHash('sha256').update(`${id} ${dateModified}`).digest();
    for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] as number) ^ (digest[i] as number);
  }
  return sum.toString('hex');
}

describe.each(databases)('copies of the registry on $name', (kind) => {
  let registry: TestRegistry;
  let newest: Owned;
  let entries: Entry[];

  const digest = async (query: Record<string, string> = {}): Promise<JsonObject> => {
    const reply = await registry.send(`${DIGEST}?${new URLSearchParams(query).toString()}`);
    expect(reply.status).toBe(200);
    return reply.json.data as JsonObject;
  };

  beforeAll(async () => {
    registry = await TestRegistry.start(kind);
    await publish(registry, { title: 'Перша' });
    await addAssets(registry.databaseUrl, MANY - 2);
    newest = await publish(registry, { title: 'Остання 🚀' });
    await create(registry, { title: 'Чернетка' });
    entries = await follow(registry, `${ASSETS}?limit=1000`);
  });
  afterAll(() => registry?.stop());

  describe('a digest', () => {
    it('counts the feed, drafts left out', async () => {
      expect(entries).toHaveLength(MANY);
      const { from, to, ...counted } = await digest();
      expect(counted).toEqual({ count: MANY, digest: digestOf(entries) });
      expect(from).toBe('');
      expect(Date.parse(String(to))).toBeGreaterThanOrEqual(Date.parse(newest.asset.dateModified));
    });

    it('counts what stands after `from`, up to `to` and that too', async () => {
      const [from, to] = [entries[9] as Entry, entries[1_100] as Entry].map(({ dateModified }) => dateModified);
      const range = entries.slice(10, 1_101);
      const asked = { from: from as string, to: to as string };
      expect(await digest(asked)).toEqual({ ...asked, count: 1_091, digest: digestOf(range) });
    });

    it('of nothing is zero', async () => {
      const [at] = entries as [Entry];
      const asked = { from: at.dateModified, to: at.dateModified };
      expect(await digest(asked)).toMatchObject({ count: 0, digest: '0'.repeat(32) });
    });

    it('of two halves make that of the whole', async () => {
      const to = (entries[617] as Entry).dateModified;
      const [whole, first, second] = [await digest(), await digest({ to }), await digest({ from: to })];
      const sums = [first, second].map((half) => BigInt(`0x${String(half?.['digest'])}`)) as [bigint, bigint];
      expect((sums[0] ^ sums[1]).toString(16).padStart(32, '0')).toBe(whole?.['digest']);
      expect(Number(first?.['count']) + Number(second?.['count'])).toBe(whole?.['count']);
    });

    it('says where it ends when it is asked for more than there is', async () => {
      const { to, count } = await digest({ to: '2999-01-01' });
      expect(count).toBe(MANY);
      expect(Date.parse(String(to))).toBeLessThan(Date.now() + 60_000);
    });

    it('has the epoch of the history that it counts', async () => {
      const page = await registry.send(ASSETS);
      expect((await registry.send(DIGEST)).headers.get('feed-epoch')).toBe(page.headers.get('feed-epoch'));
    });

    it.each(['from', 'to'])('with a malformed %s is refused, and with two', async (name) => {
      for (const query of [`${name}=x`, `${name}=2017-08-16&${name}=2017-08-16`]) {
        const reply = await registry.send(`${DIGEST}?${query}`);
        expect([reply.status, reply.json.errors[0].location, reply.json.errors[0].name]).toEqual([400, 'header', name]);
      }
      expect((await registry.send(`${DIGEST}?${name}=`)).status).toBe(200);
    });
  });

  describe('a snapshot', () => {
    it('has every listed asset as it is read, the oldest change first', async () => {
      const { assets } = await snapshotOf(registry.url);
      expect(assets.map(({ id, dateModified }) => ({ id, dateModified }))).toEqual(entries);
      expect(assets.at(-1)).toEqual((await registry.send(`${ASSETS}/${newest.id}`)).json.data);
    });

    it('says in its head and in its first line where to go on, and in which history', async () => {
      const { head, headers } = await snapshotOf(registry.url);
      expect(head).toEqual({ offset: headers.get('feed-offset'), feed_epoch: headers.get('feed-epoch') });
      const page = await registry.send(`${ASSETS}?offset=${encodeURIComponent(head.offset)}`);
      expect(page.json.data).toEqual([]);
      expect(page.headers.get('feed-epoch')).toBe(head.feed_epoch);
      expect(headers.get('content-type')).toBe('application/gzip');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    });

    it('is there under the other prefix too', async () => {
      expect((await snapshotOf(registry.url, SNAPSHOT.replace('0.1', '0'))).assets).toHaveLength(MANY);
    });

    it('and the feed behind it are all there is, whatever was written meanwhile', async () => {
      let [isOver, written] = [false, 0];
      const writers = [1, 2, 3].map(async () => {
        while (!isOver) {
          const asset = await publish(registry, { title: `${++written}` });
          await change(registry, asset, { title: 'x' });
        }
      });
      const copy = new Map<string, string>();
      const snapshots = [await snapshotOf(registry.url), await snapshotOf(registry.url)];
      isOver = true;
      await Promise.all(writers);
      const { head, assets } = snapshots[1] as Snapshot;
      for (const { id, dateModified } of assets) copy.set(id, dateModified);
      const offset = encodeURIComponent(head.offset);
      for (const entry of await follow(registry, `${ASSETS}?limit=1000&offset=${offset}`)) {
        copy.set(entry.id, entry.dateModified);
      }
      const all = await follow(registry, `${ASSETS}?limit=1000`);
      expect(copy).toEqual(new Map(all.map(({ id, dateModified }) => [id, dateModified])));
      expect(written).toBeGreaterThan(0);
    });

    it('is of one moment, though it is read bit by bit', async () => {
      const view = await FeedView.open(registry.databaseUrl);
      try {
        const seen: ReadAsset[] = [];
        for await (const assets of view.assets()) {
          if (seen.length === 0) await change(registry, newest, { description: 'Після знімка' });
          seen.push(...assets);
        }
        const { id } = newest;
        const { body } = seen.find((asset) => asset.id === id) as ReadAsset;
        expect(Buffer.from(body, 'latin1').toString()).not.toContain('Після знімка');
        expect(Math.max(...seen.map(({ modifiedUs }) => modifiedUs))).toBeLessThanOrEqual(view.clockUs);
      } finally {
        await view.close();
      }
    });

    it('is cut off when it takes too long, and keeps nobody out then', async () => {
      const timeout = jest.spyOn(AbortSignal, 'timeout').mockImplementation(() => AbortSignal.abort());
      const whole = async (): Promise<unknown> => (await fetch(registry.url + SNAPSHOT)).arrayBuffer();
      for (let i = 0; i < 4; i++) await expect(whole()).rejects.toThrow();
      timeout.mockRestore();
      expect((await snapshotOf(registry.url)).assets.length).toBeGreaterThanOrEqual(MANY);
    });

    it('sends no body for HEAD, and ends with a client that goes away: none of them keeps others out', async () => {
      for (let i = 0; i < 4; i++) {
        const reply = await registry.send(SNAPSHOT, { method: 'HEAD' });
        expect([reply.status, reply.text]).toEqual([200, '']);
      }
      for (let i = 0; i < 4; i++) await goAway(registry.url);
      // The service hears of the last one a moment later.
      await until(async () => (await registry.send(SNAPSHOT, { method: 'HEAD' })).status !== 503);
      expect((await snapshotOf(registry.url)).assets.length).toBeGreaterThanOrEqual(MANY);
    });
  });

  it.each([SNAPSHOT, DIGEST])('%s knows OPTIONS', async (path) => {
    const reply = await registry.send(path, { method: 'OPTIONS' });
    expect([reply.status, reply.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS']);
  });
});

/** Asks for a snapshot, and leaves with its first bytes. */
function goAway(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () =>
      socket.write(`GET ${SNAPSHOT} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`),
    );
    socket.once('data', () => socket.destroy());
    socket.once('close', () => resolve());
    socket.once('error', reject);
  });
}
