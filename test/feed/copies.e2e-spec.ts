import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createConnection } from 'mysql2/promise';
import type { ReadAsset } from '../../src/database/readers/asset-row.js';
import { TIME_BUDGETS_MS } from '../../src/platform/config/time-budgets.js';
import type { HostAddress } from '../../src/platform/config/database-url.js';
import { databaseParts } from '../../src/database/connections/data-sources.js';
import { FeedView, FeedViews } from '../../src/database/readers/feed-view.js';
import type { Hosts } from '../../src/database/connections/hosts.js';
import { unavailable } from '../../src/platform/errors/errors.js';
import { DurableWatermark } from '../../src/feed/watermarks.js';
import { SnapshotFile } from '../../src/listing/snapshot/snapshot-file.js';
import { ASSETS, change, create, type JsonObject, type Owned, publish } from '../support/assets.js';
import { databases } from '../support/databases.js';
import { loadServiceHere } from '../support/loaded-service.js';
import { addAssets } from '../support/many-assets.js';
import { follow, type Entry } from '../support/pages.js';
import { othersOf } from '../support/process-list.js';
import { TestRegistry, testConfig } from '../support/registry.js';
import { runSql } from '../support/rows.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { until } from '../support/until.js';

loadServiceHere();

const SNAPSHOT = `${ASSETS}/snapshot.jsonl.gz`;
const AS_CSV = `${ASSETS}/snapshot.csv.gz`;
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

/** Views that wait before their first asset. */
function blockedViews(): { release: () => void } {
  // oxlint-disable-next-line typescript/unbound-method -- it is called with the view that it is a method of
  const { assets } = FeedView.prototype;
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  jest.spyOn(FeedView.prototype, 'assets').mockImplementation(async function* (this: FeedView) {
    await released;
    yield* assets.call(this);
  });
  return { release };
}

/** Connections to a server's database; the descriptors of a file. */
async function connectionsTo(databaseUrl: string): Promise<number> {
  if (!databaseUrl.startsWith('sqlite:')) {
    const asker = await createConnection(databaseUrl);
    const others = await othersOf(asker);
    await asker.end();
    return others.length;
  }
  return (await openPaths()).filter((path) => databaseUrl === `sqlite:${path}`).length;
}

async function openPaths(): Promise<string[]> {
  const open = await readdir('/proc/self/fd');
  return Promise.all(open.map((number) => readlink(`/proc/self/fd/${number}`).catch(() => '')));
}

/** Computed as a client with a copy would. */
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
  let folder: string;

  const digest = async (query: Record<string, string> = {}): Promise<JsonObject> => {
    const reply = await registry.send(`${DIGEST}?${new URLSearchParams(query).toString()}`);
    expect(reply.status).toBe(200);
    return reply.json.data as JsonObject;
  };

  /** A snapshot, or a part of it. */
  const ask = async (headers: Record<string, string>, method = 'GET', path = SNAPSHOT) => {
    const response = await fetch(registry.url + path, { method, headers });
    return {
      status: response.status,
      headers: response.headers,
      bytes: Buffer.from(await response.arrayBuffer()),
    };
  };
  /** How many files of snapshots this process has open. */
  const openFiles = async (): Promise<number> => (await openPaths()).filter((path) => path.startsWith(folder)).length;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'snapshots-'));
    registry = await TestRegistry.start(kind, { SNAPSHOT_MAX_AGE: '0', SNAPSHOT_FOLDER: folder });
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

    it('counts entries after `from`, up to and including `to`', async () => {
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

    it('gives its end if the range goes beyond the feed', async () => {
      const { to, count } = await digest({ to: '2999-01-01' });
      expect(count).toBe(MANY);
      expect(Date.parse(String(to))).toBeLessThan(Date.now() + 60_000);
    });

    it('has the epoch of the history that it counts', async () => {
      const page = await registry.send(ASSETS);
      expect((await registry.send(DIGEST)).headers.get('feed-epoch')).toBe(page.headers.get('feed-epoch'));
    });

    if (kind.name === 'SQLite')
      it.each(['from', 'to'])('with a malformed %s is refused, and with two', async (name) => {
        for (const query of [`${name}=x`, `${name}=2017-08-16&${name}=2017-08-16`]) {
          const reply = await registry.send(`${DIGEST}?${query}`);
          expect([reply.status, reply.json.errors[0].location, reply.json.errors[0].name]).toEqual([
            400,
            'header',
            name,
          ]);
        }
        expect((await registry.send(`${DIGEST}?${name}=`)).status).toBe(200);
      });
  });

  // Before there is one.
  describe('a first snapshot that cannot be made', () => {
    if (kind.name === 'SQLite')
      it('for want of room is 503, and leaves nothing', async () => {
        const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
        const append = jest.spyOn(SnapshotFile.prototype, 'append').mockRejectedValue(full);
        const reply = await registry.send(SNAPSHOT);
        append.mockRestore();
        expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '2']);
        await until(async () => (await openFiles()) === 0);
      });

    it('as nothing is durable is 503, and leaves no connection', async () => {
      const before = await connectionsTo(registry.databaseUrl);
      const barrier = jest.spyOn(DurableWatermark.prototype, 'waitFor').mockRejectedValue(unavailable('client_gone'));
      const tries = 3;
      for (let i = 0; i < tries; i++) expect((await registry.send(SNAPSHOT)).status).toBe(503);
      barrier.mockRestore();
      // Not each of them has left one. The pools of the registry may have opened one meanwhile.
      await until(async () => (await connectionsTo(registry.databaseUrl)) < before + tries);
    });
  });

  describe('a snapshot', () => {
    it('has every listed asset as it is read, the oldest change first', async () => {
      const { assets } = await snapshotOf(registry.url);
      expect(assets.map(({ id, dateModified }) => ({ id, dateModified }))).toEqual(entries);
      expect(assets.at(-1)).toEqual((await registry.send(`${ASSETS}/${newest.id}`)).json.data);
    });

    it('has the offset to continue from and the feed epoch, in headers and in its first line', async () => {
      const { head, headers } = await snapshotOf(registry.url);
      expect(head).toEqual({ offset: headers.get('feed-offset'), feed_epoch: headers.get('feed-epoch') });
      const page = await registry.send(`${ASSETS}?offset=${encodeURIComponent(head.offset)}`);
      expect(page.json.data).toEqual([]);
      expect(page.headers.get('feed-epoch')).toBe(head.feed_epoch);
      expect(headers.get('content-type')).toBe('application/gzip');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    });

    if (kind.name === 'SQLite')
      it('as CSV has a line for each listed asset, and is known again, whole and in part', async () => {
        const { head, assets } = await snapshotOf(registry.url);
        const [plain, marked] = [await ask({}, 'GET', AS_CSV), await ask({}, 'GET', `${AS_CSV}?bom=1`)];
        const [text, withMark] = [plain, marked].map(({ bytes }) => gunzipSync(bytes).toString());
        expect(withMark).toBe(`\ufeff${text}`);
        const rows = parse(text as string, { columns: true }) as unknown as Record<string, string>[];
        expect(rows.map(({ id, dateModified }) => ({ id, dateModified }))).toEqual(entries);
        expect(rows.at(-1)).toMatchObject({
          assetID: assets.at(-1)?.['assetID'],
          title: 'Остання 🚀',
          status: 'pending',
        });
        expect(plain.headers.get('feed-offset')).toBe(head.offset);
        expect(plain.headers.get('content-type')).toBe('application/gzip');
        const etag = String(plain.headers.get('etag'));
        expect(marked.headers.get('etag')).not.toBe(etag);
        expect((await ask({ 'If-None-Match': etag }, 'GET', AS_CSV)).status).toBe(304);
        const part = await ask({ Range: 'bytes=5-', 'If-Range': etag }, 'GET', AS_CSV);
        expect([part.status, part.bytes]).toEqual([206, plain.bytes.subarray(5)]);
      });

    it('and the feed after it have everything, despite concurrent writes', async () => {
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
      const config = testConfig(registry.databaseUrl);
      const views = new FeedViews(config, databaseParts(registry.databaseUrl));
      const view = await views.open(new AbortController().signal);
      try {
        const seen: ReadAsset[] = [];
        for await (const assets of view.assets()) {
          if (seen.length === 0) await change(registry, newest, { description: 'Після знімка' });
          seen.push(...assets);
        }
        const { id } = newest;
        const { body } = seen.find((asset) => asset.id === id) as ReadAsset;
        expect(body.toString()).not.toContain('Після знімка');
        expect(Math.max(...seen.map(({ modifiedUs }) => modifiedUs))).toBeLessThanOrEqual(view.clockUs);
      } finally {
        await view.close();
      }
    });

    if (kind.name !== 'SQLite')
      it('is read from the active host, and ends with that host’s connections', async () => {
        const proxy = new TcpProxy(new URL(registry.databaseUrl));
        const preferred = new URL(await proxy.open()).host;
        const databaseUrl = registry.databaseUrl.replace('@', `@${preferred},`);
        const parts = databaseParts(databaseUrl);
        const hosts = parts.monitor?.hosts as Hosts;
        hosts.current = hosts.all[1] as HostAddress;
        const view = await new FeedViews(testConfig(databaseUrl), parts).open(new AbortController().signal);
        await proxy.close();
        expect((await view.assets().next()).value).not.toHaveLength(0);
        hosts.dropConnections();
        await expect(view.assets().next()).rejects.toThrow();
        await view.close();
      });

    it('has the feed epoch of the listing', async () => {
      const epoch = 'f'.repeat(32);
      await runSql(registry, `UPDATE feed_clock SET epoch = '${epoch}' WHERE id = 1`);
      expect((await snapshotOf(registry.url)).head.feed_epoch).toBe(epoch);
    });

    // Files and the wire are the same from wherever a snapshot is read.
    if (kind.name !== 'SQLite') return;

    it('is 503 without a folder for it, and everything else works', async () => {
      for (const SNAPSHOT_FOLDER of ['/dev/null', '/proc/none/snapshots'])
        await TestRegistry.during(kind, { SNAPSHOT_FOLDER }, async (other) => {
          expect((await other.send(SNAPSHOT)).status).toBe(503);
          expect((await other.send(ASSETS)).status).toBe(200);
        });
    });

    it('is served in ranges, which together are the whole file, the same for all clients', async () => {
      const whole = await fetch(registry.url + SNAPSHOT);
      const bytes = Buffer.from(await whole.arrayBuffer());
      const etag = String(whole.headers.get('etag'));
      expect(whole.headers.get('accept-ranges')).toBe('bytes');
      const ranges: Buffer[] = [];
      for (const [from, to] of [
        [0, 9],
        [10, bytes.length - 101],
        [bytes.length - 100, undefined],
      ]) {
        const part = await ask({ Range: `bytes=${from}-${to ?? ''}`, 'If-Range': etag });
        const last = to ?? bytes.length - 1;
        expect([part.status, part.headers.get('etag')]).toEqual([206, etag]);
        expect(part.headers.get('content-range')).toBe(`bytes ${from}-${last}/${bytes.length}`);
        expect(part.headers.get('content-length')).toBe(String(part.bytes.length));
        ranges.push(part.bytes);
      }
      expect(Buffer.concat(ranges).equals(bytes)).toBe(true);
      expect((await ask({ Range: 'bytes=-7' })).bytes).toEqual(bytes.subarray(-7));
      for (const [range, tag] of [
        ['0-1,5-6', etag],
        ['0-1', '"another"'],
      ] as const)
        expect(await ask({ Range: `bytes=${range}`, 'If-Range': tag })).toMatchObject({ status: 200, bytes });
      const head = await ask({ Range: 'bytes=0-1' }, 'HEAD');
      expect([head.status, head.headers.get('content-length')]).toEqual([200, String(bytes.length)]);
      const beyond = await registry.send(SNAPSHOT, { headers: { Range: `bytes=${bytes.length}-` } });
      expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${bytes.length}`]);
      expect(beyond.json.errors[0]).toMatchObject({ location: 'header', name: 'Range' });
    });

    it('answers 304 to its ETag, until there is a change', async () => {
      const known = { 'If-None-Match': String((await ask({})).headers.get('etag')) };
      const same = await ask(known);
      expect([same.status, same.bytes.length, same.headers.get('etag')]).toEqual([304, 0, known['If-None-Match']]);
      await change(registry, newest, { description: 'Інша' });
      expect((await ask(known)).status).toBe(200);
    });

    it('ends when its client disconnects, and other clients still get one', async () => {
      for (let i = 0; i < 4; i++) await goAway(registry.url);
      expect((await snapshotOf(registry.url)).assets.length).toBeGreaterThanOrEqual(MANY);
    });

    it('is written once for concurrent requests, which read it meanwhile', async () => {
      await change(registry, newest, { description: 'Ще інша' });
      const [opened, views] = [jest.spyOn(FeedViews.prototype, 'open'), blockedViews()];
      const reading = jest.spyOn(SnapshotFile.prototype, 'read');
      jest.replaceProperty(TIME_BUDGETS_MS as Record<'snapshot', number>, 'snapshot', 1);
      const answers = Array.from({ length: 20 }, () => ask({}));
      await until(() => reading.mock.calls.length === answers.length);
      views.release();
      const [first, ...others] = await Promise.all(answers);
      expect(first?.headers.get('content-length')).toBeNull();
      for (const { status, bytes } of others)
        expect([status, bytes.equals(first?.bytes as Buffer)]).toEqual([200, true]);
      expect(opened).toHaveBeenCalledTimes(1);
      const whole = await ask({});
      expect(whole.bytes).toEqual(first?.bytes);
      expect(whole.headers.get('etag')).toBe(first?.headers.get('etag'));
      jest.restoreAllMocks();
    });

    it('that is being made ends with the service, and leaves nothing', async () => {
      await change(registry, newest, { description: 'Остання' });
      const making = jest.spyOn(FeedView.prototype, 'assets').mockImplementation(endlessAssets);
      await goAway(registry.url, () => until(() => making.mock.calls.length > 0));
      await registry.close();
      making.mockRestore();
      await until(async () => (await openFiles()) === 0);
      expect(await readdir(folder)).toEqual([]);
    });
  });
});

async function* endlessAssets(): AsyncGenerator<ReadAsset[]> {
  for (;;) yield await turn([]);
}

/** Asks for a snapshot, and leaves with its first bytes. @param soon leaves then, if not before */
function goAway(url: string, soon = (): Promise<void> => new Promise(() => undefined)): Promise<void> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(`GET ${SNAPSHOT} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`);
      soon().then(() => socket.destroy(), reject);
    });
    socket.once('data', () => socket.destroy());
    socket.once('close', () => resolve());
    socket.once('error', reject);
  });
}
