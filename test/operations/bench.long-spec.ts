import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSet, TIME_ZONE } from '../../bench/data-set/data-set.js';
import { prepare } from '../../bench/data-set/write.js';
import { createFastify } from '../../bench/fastify/server.js';
import { LocalTime } from '../../bench/floor/local-time.js';
import { openMysqlStore } from '../../bench/floor/mysql-store.js';
import { createFloor } from '../../bench/floor/server.js';
import { openSqliteStore } from '../../bench/floor/sqlite-store.js';
import type { Store } from '../../bench/floor/store.js';
import type { Databases } from '../../bench/databases.js';
import { againstConnections } from '../../bench/growth/connections.js';
import { againstSize, type Found } from '../../bench/growth/sizes.js';
import { againstWriters } from '../../bench/growth/writers.js';
import { againstRead } from '../../bench/pages/pages.js';
import type { PutLoad } from '../../bench/load/generators.js';
import { runPlan } from '../../bench/load/run-plan.js';
import { measure } from '../../bench/measure.js';
import { type ByServer, eachServer } from '../../bench/servers.js';
import { startRegistry, type Target } from '../../bench/targets.js';
import { WORKS } from '../../bench/works.js';
import { ASSETS, assetBody, assetBodyWith } from '../support/assets.js';
import { databases, type TestDatabase } from '../support/databases.js';
import { type Reply, type Send, sendTo } from '../support/registry.js';
import { runSql } from '../support/rows.js';
import { silent } from '../support/silent-progress.js';

const SIZE = 400;
const DRAFT = 0;
const ACTIVE = 5;
const PENDING = 15;
const MS = 50;
/** For what is to be compared. */
const LONGER_MS = 400;
const NAMES = [
  'asset as JSON',
  '/',
  'page of an asset',
  'page of a search',
  'search as JSON',
  'the same with facets',
  'statistics',
];

/** Once more where nobody was answered: the machine may be held up for all of the short time that a load has here. */
const putLoad: PutLoad = async (plan) => {
  for (;;) {
    const outcome = await runPlan(plan);
    if (outcome.answered + outcome.failed > 0) return outcome;
  }
};

describe.each(databases)('the benchmark on $name', (kind) => {
  const dataSet = new DataSet(SIZE);
  const owned: TestDatabase[] = [];
  const here: { store: Store; server: Server }[] = [];
  let urls: Required<ByServer<string>>;
  let targets: Required<ByServer<Target>>;
  let registry: Target;

  /** A server of the bench, in this process. */
  async function serve(create: typeof createFloor, databaseUrl: string): Promise<Target> {
    const store = databaseUrl.startsWith('sqlite:')
      ? openSqliteStore(databaseUrl.slice('sqlite:'.length))
      : openMysqlStore(databaseUrl, 4);
    const server = await create(store, new LocalTime(TIME_ZONE), { process: 0, processes: 1 });
    here.push({ store, server });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return { url, pids: [process.pid], size: SIZE, stop: () => Promise.resolve() };
  }

  beforeAll(async () => {
    for (let i = 0; i < 3; i++) owned.push(await kind.create());
    const [floor, fastify, ofRegistry] = owned.map(({ url }) => url) as [string, string, string];
    urls = { floor, fastify, registry: ofRegistry };
    await prepare(urls, dataSet, silent);
    registry = await startRegistry(urls.registry, SIZE);
    targets = {
      floor: await serve(createFloor, urls.floor),
      fastify: await serve(createFastify, urls.fastify),
      registry,
    };
  });

  afterAll(async () => {
    for (const { server, store } of here) {
      server.closeAllConnections();
      server.close();
      await store.close();
    }
    await registry?.stop();
    for (const { drop } of owned) await drop();
  });

  /** The same request to all. */
  async function ask(path: string, send?: Send): Promise<{ replies: Reply[]; statuses: number[]; ofRegistry: Reply }> {
    const replies = await Promise.all(eachServer(targets).map(([, { url }]) => sendTo(url, ASSETS + path, send)));
    return { replies, statuses: replies.map(({ status }) => status), ofRegistry: replies.at(-1) as Reply };
  }

  const patchWith = (token: string): Send => ({
    method: 'PATCH',
    key: 'broker',
    headers: { 'X-Access-Token': token },
    body: { data: { title: 'Нова назва', quantity: 7.5 } },
  });

  it.each([DRAFT, ACTIVE, PENDING])('floor and registry answer asset %s in the same bytes', async (number) => {
    const { replies, statuses, ofRegistry } = await ask(`/${dataSet.idOf(number)}`);
    const [ofFloor, ofFastify] = replies as [Reply, Reply];
    expect(statuses).toEqual([200, 200, 200]);
    expect(ofFloor.text).toBe(ofRegistry.text);
    // A serializer writes the fields in the order of its schema.
    expect(ofFastify.json).toEqual(ofRegistry.json);
    expect(ofFastify.text).toHaveLength(ofRegistry.text.length);
  });

  it.each(['limit=100', 'limit=50&opt_fields=*'])('they answer a page (%s) with the same entries', async (query) => {
    for (const offset of ['', dataSet.offsetAt(PENDING), dataSet.offsetAt(SIZE)]) {
      const { replies, ofRegistry } = await ask(`?${query}&offset=${encodeURIComponent(offset)}`);
      for (const { json } of replies) {
        expect(json.data).toEqual(ofRegistry.json.data);
        expect(json.next_page.offset).toBe(ofRegistry.json.next_page.offset);
        expect(new URL(json.next_page.uri).searchParams).toEqual(new URL(ofRegistry.json.next_page.uri).searchParams);
      }
    }
  });

  it('they create the same', async () => {
    const { replies, statuses, ofRegistry } = await ask('', { method: 'POST', key: 'broker', body: assetBody() });
    expect(statuses).toEqual([201, 201, 201]);
    const own = { id: '', assetID: '', date: '', dateModified: '' };
    for (const [i, [, { url }]] of eachServer(targets).entries()) {
      const { json, headers } = replies[i] as Reply;
      expect({ ...json.data, ...own }).toEqual({ ...ofRegistry.json.data, ...own });
      expect(json.access.token).toMatch(/^[0-9a-f]{32}$/);
      expect(headers.get('location')).toMatch(new RegExp(`${ASSETS}/${json.data.id}$`));
      expect((await sendTo(url, `${ASSETS}/${json.data.id}`)).json.data).toEqual(json.data);
    }
  });

  it('they change the same, for the owner alone', async () => {
    const path = `/${dataSet.idOf(PENDING)}`;
    const { replies, statuses, ofRegistry } = await ask(path, patchWith(dataSet.ownerTokenOf(PENDING)));
    expect(statuses).toEqual([200, 200, 200]);
    for (const [i, [, { url }]] of eachServer(targets).entries()) {
      const { data } = (replies[i] as Reply).json;
      expect({ ...data, dateModified: '' }).toEqual({ ...ofRegistry.json.data, dateModified: '' });
      expect(data.title).toBe('Нова назва');
      expect((await sendTo(url, ASSETS + path)).json.data).toEqual(data);
    }
    const refused = await ask(path, patchWith(dataSet.ownerTokenOf(PENDING + 1)));
    expect(refused.statuses).toEqual([403, 403, 403]);
    const final = await ask(`/${dataSet.idOf(ACTIVE)}`, patchWith(dataSet.ownerTokenOf(ACTIVE)));
    expect(final.statuses).toEqual([403, 403, 403]);
  });

  it.each([
    ['title', 'empty', ''],
    ['title', 'too long', 'x'.repeat(2_001)],
    ['description', 'with a control character', 'a\u0000b'],
    ['description', 'with half of a pair', '\ud800'],
    ['value.currency', 'in small letters', 'uah'],
    ['value.amount', 'below zero', -1],
    ['quantity', 'text', '5'],
    ['address.countryName', 'missing', undefined],
    ['assetCustodian.identifier.uri', 'of another scheme', 'ftp://example.org'],
    ['assetCustodian.rogue', 'unknown', 'x'],
    ['assetType', 'not installed', 'other'],
  ])('they refuse %s that is %s', async (path, _, value) => {
    const body = assetBodyWith(path, value);
    expect((await ask('', { method: 'POST', key: 'broker', body })).statuses).toEqual([422, 422, 422]);
  });

  it('they refuse a change to a value that is wrong', async () => {
    const send = patchWith(dataSet.ownerTokenOf(PENDING));
    for (const data of [{ title: '' }, { quantity: '5' }])
      expect((await ask(`/${dataSet.idOf(PENDING)}`, { ...send, body: { data } })).statuses).toEqual([422, 422, 422]);
  });

  it('they refuse a key that they do not know', async () => {
    expect((await ask('', { method: 'POST', key: 'nobody', body: assetBody() })).statuses).toEqual([401, 401, 401]);
  });

  it('they do not find an id that there is not', async () => {
    expect((await ask(`/${'0'.repeat(32)}`)).statuses).toEqual([404, 404, 404]);
  });

  it.each(WORKS)('$id ($name) is done by all without a failure', async (work) => {
    const settings = { rounds: 1, ms: MS, connections: 4 };
    const bench = { settings, databasePids: [], putLoad, generators: 1 };
    const measured = eachServer(await measure(bench, targets, work, 300)).map(([, figures]) => figures);
    expect(measured).toHaveLength(3);
    for (const figures of measured) {
      expect(figures.failed).toBe(0);
      expect(figures.perSecond).toBeGreaterThan(0);
      expect(figures.p50).toBeGreaterThan(0);
      expect(figures.rss).toBeGreaterThan(0);
    }
  });

  // SQLite's file belongs to one process, and that runs already.
  if (kind.name !== 'SQLite') {
    const given: Databases = { origin: '', pids: [], urlsFor: async () => urls, stop: () => Promise.resolve() };

    it('pages are measured beside the JSON', async () => {
      const folder = process.env.TEST_FOLDER as string;
      const rows = await againstRead(
        given,
        { size: SIZE, connections: [2, 4], rounds: 1, ms: LONGER_MS, folder },
        putLoad,
      );
      expect(rows.map(({ name, connections }) => [name, connections])).toEqual([
        ...NAMES.map((name) => [name, 2]),
        ...NAMES.map((name) => [name, 4]),
      ]);
      for (const { figures, bytes } of rows) {
        expect([figures.failed, figures.p99 > 0, bytes > 1_000]).toEqual([0, true, true]);
      }
    });

    it('what the costs grow with is found', async () => {
      const bench = {
        settings: { rounds: 1, ms: LONGER_MS, connections: 4 },
        databasePids: [],
        putLoad,
        generators: 1,
      };
      const found: Found = { starts: [], sizes: [], depths: [] };
      const told: string[] = [];
      const tell = (line: string): void => void told.push(line);
      await againstSize(SIZE, registry, given, bench, found, tell);
      expect(found.starts).toEqual([{ size: SIZE, readyMs: expect.any(Number) }]);
      expect(found.sizes.map(({ work }) => work.slice(0, 2))).toEqual(['W1', 'W2', 'W2', 'W2', 'W3', 'W4']);
      expect(found.depths).toHaveLength(3);
      const [one, eight] = await againstWriters([1, 8], given, SIZE, bench, tell);
      // Its counters are read while requests are under way.
      expect(one?.batch).toBeCloseTo(1, 1);
      expect(eight?.batch).toBeGreaterThan(1);
      const connections = await againstConnections([0, 20], given, SIZE, bench, tell);
      expect(connections.every(({ rss }) => rss > 2 ** 26)).toBe(true);
      expect(told).toHaveLength(1 + 6 + 3 + 2 + 2);
    });
  }

  it('keeps what is there already', async () => {
    await runSql({ databaseUrl: urls.registry }, 'DELETE FROM asset WHERE id = ?', [dataSet.idOf(DRAFT)]);
    await prepare(urls, dataSet, silent);
    expect((await sendTo(registry.url, `${ASSETS}/${dataSet.idOf(DRAFT)}`)).status).toBe(404);
    expect((await sendTo(registry.url, `${ASSETS}/${dataSet.idOf(ACTIVE)}`)).status).toBe(200);
  });
});
