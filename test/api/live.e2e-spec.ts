import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ASSETS, change, publish } from '../support/assets.js';
import { databases, type TestDatabase } from '../support/databases.js';
import { expectError } from '../support/errors.js';
import { type StreamOptions, EventClient } from '../support/event-client.js';
import { migrate } from '../support/migrated.js';
import { type Reply, type Send, TestRegistry } from '../support/registry.js';
import { runSql } from '../support/rows.js';
import { until } from '../support/until.js';

const LONG = 60;

describe.each(databases)('following live on $name', (kind) => {
  let database: TestDatabase;
  let registry: TestRegistry;
  /** Another process on the same database; undefined if a database allows only one. */
  let other: TestRegistry;
  const clients: EventClient[] = [];

  const pageOf = async (query: string): Promise<{ id: string; dateModified: string }[]> =>
    (await registry.send(`${ASSETS}?limit=1000&${query}`)).json.data;
  const lastOffset = async (): Promise<string> =>
    (await registry.send(`${ASSETS}?limit=1&descending=1`)).json.data[0].dateModified;
  const waitFor = (offset: string, more = '', options: Send = {}, seconds = LONG): Promise<Reply> =>
    registry.send(`${ASSETS}?offset=${encodeURIComponent(offset)}&wait=${seconds}${more}`, options);
  const follow = async (asked: StreamOptions = {}): Promise<EventClient> => {
    const client = await EventClient.open(registry.url, asked);
    clients.push(client);
    return client;
  };
  const after = (offset: string): StreamOptions => ({ query: `?offset=${encodeURIComponent(offset)}` });
  const live = async (kindOf: 'streams' | 'waits'): Promise<number> => {
    const text = await (await fetch(registry.metricsUrl as string)).text();
    return Number(new RegExp(`^registry_live_${kindOf} (\\d+)`, 'm').exec(text)?.[1]);
  };

  beforeAll(async () => {
    database = await kind.create();
    await migrate(database.url);
    registry = await TestRegistry.startOn(database.url, { METRICS_PORT: '0' });
    other = kind.name !== 'SQLite' ? await TestRegistry.startOn(database.url) : registry;
    for (let i = 0; i < 5; i++) await publish(registry);
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) client.close();
    await until(async () => (await live('streams')) === 0);
  });
  afterAll(async () => {
    if (other !== registry) await other?.close();
    await registry?.close();
    await database?.drop();
  });

  describe('wait', () => {
    it('answers an empty page once there is something after the offset', async () => {
      const offset = await lastOffset();
      const waiting = waitFor(offset);
      await until(async () => (await live('waits')) === 1);
      const { id, asset } = await publish(other);
      const { status, json } = await waiting;
      expect(status).toBe(200);
      expect(json.data).toEqual([{ id, dateModified: asset.dateModified }]);
      expect(json.next_page.offset).toBe(asset.dateModified);
    });

    it('answers a page with entries at once, and waits at the end of the feed', async () => {
      const first = (await registry.send(`${ASSETS}?limit=1000&wait=${LONG}`)).json;
      expect(first.data.length).toBeGreaterThanOrEqual(5);
      const waiting = registry.send(first.next_page.path);
      const { id } = await publish(registry);
      expect((await waiting).json.data).toMatchObject([{ id }]);
    });

    it('ends after the requested seconds with an empty page', async () => {
      const offset = await lastOffset();
      const { json, headers } = await waitFor(offset, '', {}, 1);
      expect(json.data).toEqual([]);
      expect(json.next_page.offset).toBe(offset);
      expect(headers.get('backoff')).toBe('300');
    });

    it('of 0, or left empty, does not wait', async () => {
      for (const sent of ['0', '', '00'])
        expect((await registry.send(`${ASSETS}?offset=2999-01-01&wait=${sent}`)).json.data).toEqual([]);
    });

    it.each(['-1', '1.5', 'x'])('of %s is 400', async (sent) => {
      expectError(await registry.send(`${ASSETS}?wait=${sent}`), 400, 'header', 'wait');
    });

    it('is supported only for the ascending listing', async () => {
      expectError(await registry.send(`${ASSETS}?wait=1&descending=1`), 400, 'header', 'wait');
      const { prev_page: before } = (await registry.send(`${ASSETS}?wait=1&limit=1&offset=2017-01-01`)).json;
      expect(before.path).not.toContain('wait');
      expect((await registry.send(before.path)).status).toBe(200);
    });

    it('ends if the client disconnects', async () => {
      const given = new AbortController();
      const gone = fetch(`${registry.url}${ASSETS}?offset=2999-01-01&wait=${LONG}`, { signal: given.signal });
      await until(async () => (await live('waits')) === 1);
      given.abort();
      await expect(gone).rejects.toThrow();
      await until(async () => (await live('waits')) === 0);
    });
  });

  describe('a stream of events', () => {
    it('has the headers that keep caches and proxies from holding it back, and the epoch', async () => {
      const { answer } = await follow();
      expect(answer.statusCode).toBe(200);
      expect(answer.headers).toMatchObject({
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
        'feed-epoch': (await registry.send(ASSETS)).headers.get('feed-epoch'),
      });
      expect(answer.headers.vary).toContain('Accept');
      const head = await registry.send(ASSETS, { method: 'HEAD', headers: { Accept: 'text/event-stream' } });
      expect(head.headers.get('content-type')).toBe('text/event-stream');
    });

    it('begins with the entries after the offset, and continues with new ones, equal to those of the pages', async () => {
      const client = await follow({ query: '?opt_fields=status,title' });
      await client.has((await pageOf('')).length);
      const owned = await publish(other);
      await change(other, owned, { title: 'Новий' });
      await publish(other);
      await until(async () => client.ids.at(-1) === (await lastOffset()));
      const latest = new Map(client.entries.map((entry) => [entry.id, entry]));
      expect([...latest.values()].toSorted((a, b) => (a.dateModified < b.dateModified ? -1 : 1))).toEqual(
        await pageOf('opt_fields=status,title'),
      );
      expect(client.ids).toEqual(client.ids.toSorted());
      expect(client.ids).toEqual(client.entries.map(({ dateModified }) => dateModified));
    });

    it('has whole assets if requested, and resumes after Last-Event-ID', async () => {
      const offset = await lastOffset();
      const client = await follow({
        query: '?opt_fields=*&offset=2017-01-01&limit=1',
        headers: { 'Last-Event-ID': offset },
      });
      const { asset, id } = await publish(registry);
      await client.has(1);
      expect(client.entries).toEqual([(await registry.send(`${ASSETS}/${id}`)).json.data]);
      expect(client.ids).toEqual([asset.dateModified]);
    });

    it('resumes after a Last-Event-ID whose `+` arrived as a space', async () => {
      const offset = await lastOffset();
      const client = await follow({ headers: { 'Last-Event-ID': offset.replace('+', ' ') } });
      expect(client.answer.statusCode).toBe(200);
      const { asset } = await publish(registry);
      await client.has(1);
      expect(client.ids).toEqual([asset.dateModified]);
    });

    it('is sent only if Accept prefers it to JSON', async () => {
      const accept = async (sent: string): Promise<string | null> =>
        (await registry.send(ASSETS, { headers: { Accept: sent } })).headers.get('content-type');
      expect(await accept('text/event-stream;q=0.5, application/json')).toBe('application/json');
      expect(await accept('*/*')).toBe('application/json');
    });

    it('with an invalid Last-Event-ID is 400', async () => {
      const reply = await registry.send(ASSETS, {
        headers: { Accept: 'text/event-stream', 'Last-Event-ID': '2017-13-01' },
      });
      expectError(reply, 400, 'header', 'Last-Event-ID');
    });

    it('of the descending listing is 400', async () => {
      const reply = await registry.send(`${ASSETS}?descending=1`, { headers: { Accept: 'text/event-stream' } });
      expectError(reply, 400, 'header', 'descending');
    });

    it('of more choices of fields than an address may have is 503, and plain ones and whole assets are not', async () => {
      const names = ['assetID', 'title', 'description', 'status', 'value', 'owner', 'quantity', 'unit'];
      for (const name of names) expect((await follow({ query: `?opt_fields=${name}` })).answer.statusCode).toBe(200);
      const headers = { Accept: 'text/event-stream' };
      const refused = await registry.send(`${ASSETS}?opt_fields=date`, { headers });
      expectError(refused, 503, 'header', 'server');
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      for (const query of ['', '?opt_fields=*', '?opt_fields=title'])
        expect((await follow({ query })).answer.statusCode).toBe(200);
      (clients.shift() as EventClient).close();
      await until(async () => (await follow({ query: '?opt_fields=date' })).answer.statusCode === 200);
    });

    it('ends with the new epoch if the history is replaced', async () => {
      const client = await follow(after(await lastOffset()));
      await publish(registry);
      await client.has(1);
      await runSql(registry, "UPDATE feed_clock SET epoch = 'ffffffffffffffffffffffffffffffff'");
      await publish(registry);
      await client.isOver();
      expect(client.ended).toBe('whole');
      expect(client.events.at(-1)).toEqual({ id: '', event: 'epoch', data: 'f'.repeat(32) });
      expect(client.ids).toHaveLength(1);
    });
  });

  it('ends cleanly at shutdown: waits are answered, streams send a retry time, and nothing is missed', async () => {
    const offset = await lastOffset();
    const [stream, waiting] = [await follow(after(offset)), waitFor('2999-01-01')];
    const first = await publish(registry);
    await stream.has(1);
    await until(async () => (await live('waits')) === 1);
    await registry.close();
    expect((await waiting).json.data).toEqual([]);
    await stream.isOver();
    expect(stream.ended).toBe('whole');
    expect(stream.retryMs).toBeGreaterThanOrEqual(1_000);
    const wasOther = other === registry;
    registry = await TestRegistry.startOn(database.url, { METRICS_PORT: '0' });
    if (wasOther) other = registry;
    const second = await publish(other);
    const again = await follow({ headers: { 'Last-Event-ID': stream.ids.at(-1) as string } });
    await again.has(1);
    expect([...stream.ids, ...again.ids]).toEqual([first.asset.dateModified, second.asset.dateModified]);
  });
});

it('a stream counts as one read at the rate limit on SQLite', async () => {
  const [sqlite] = databases;
  // So slow that no token is refilled meanwhile.
  const env = { RATE_LIMIT: 'on', RATE_LIMIT_READS: '0.001/100' };
  await TestRegistry.during(sqlite!, env, async (registry) => {
    await publish(registry);
    const left = (header: unknown): number => Number(/r=(\d+)/.exec(String(header))?.[1]);
    const before = left((await registry.send(ASSETS)).headers.get('ratelimit'));
    const stream = await EventClient.open(registry.url);
    expect(left(stream.answer.headers['ratelimit'])).toBe(before - 1);
    await stream.has(1);
    // Later changes cost nothing.
    await publish(registry);
    await stream.has(2);
    expect(left((await registry.send(ASSETS)).headers.get('ratelimit'))).toBe(before - 2);
    stream.close();
  });
});
