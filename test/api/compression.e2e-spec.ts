import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { ASSETS, assetBody, change, type Owned, publish } from '../support/assets.js';
import { databases, type TestDatabaseKind } from '../support/databases.js';
import { newFolder } from '../support/new-folder.js';
import type { Reply } from '../support/registry.js';
import { servedRegistry } from '../support/served-registry.js';
import { until } from '../support/until.js';

const [sqlite] = databases as [TestDatabaseKind];
const LONG = 'довгий опис '.repeat(400);
const FULL = `${ASSETS}?opt_fields=*`;
const DOCUMENT = '/api/0.1/openapi.json';

describe('content codings on SQLite', () => {
  const folder = newFolder();
  const registry = servedRegistry(sqlite, { SEARCH_INDEX: join(folder, 'index.sqlite') });
  let owned: Owned;

  beforeAll(async () => {
    for (let i = 0; i < 19; i++) await publish(registry, { title: `asset ${i}` });
    owned = await publish(registry, { description: LONG });
    await indexedUpTo(owned.asset.dateModified);
  });

  /** A search waits for the index only a little. */
  const indexedUpTo = (instant: string): Promise<void> =>
    until(async () => (await registry.send(`${ASSETS}/search?limit=1`)).json.indexed_up_to === instant);
  const get = (path: string, accepted?: string, headers: Record<string, string> = {}): Promise<Reply> =>
    registry.send(path, { headers: { ...(accepted !== undefined && { 'Accept-Encoding': accepted }), ...headers } });
  const codingOf = ({ headers }: Reply): string | null => headers.get('content-encoding');
  const lengthOf = ({ headers }: Reply): number => Number(headers.get('content-length'));
  const variesBy = ({ headers }: Reply): string[] => headers.get('vary')?.split(', ') ?? [];
  const assetPath = (): string => `${ASSETS}/${owned.id}`;

  /** The list says at which moment it was made. */
  const withoutMoment = ({ text }: Reply): string => text.replace(/<p class="note">.*/, '');

  /** Everything that is longer than 1 KB, and is sent whole. */
  const compressible = (): string[] => [
    FULL,
    `${ASSETS}/search?opt_fields=*`,
    '/api/0.1/statistics',
    '/statistics',
    assetPath(),
    `${assetPath()}/history?limit=1000&opt_pretty=1&at=${encodeURIComponent(owned.asset.dateModified)}`,
    DOCUMENT,
    '/',
    `/assets/${owned.id}`,
    '/changes.atom',
    '/docs/swagger-ui-bundle.js',
  ];

  it.each(['br', 'zstd', 'gzip'])('%s: the same bytes, in fewer, whatever is read', async (coding) => {
    for (const path of compressible()) {
      const [plain, coded] = [await get(path), await get(path, coding)];
      expect([path, plain.status, codingOf(plain)]).toEqual([path, 200, null]);
      expect([path, coded.status, codingOf(coded)]).toEqual([path, 200, coding]);
      expect(withoutMoment(coded) === withoutMoment(plain)).toBe(true);
      // A streamed answer has no Content-Length.
      if (plain.headers.has('content-length')) expect(lengthOf(coded)).toBeLessThan(0.6 * lengthOf(plain));
      expect(coded.headers.get('etag')).toBe(plain.headers.get('etag'));
    }
  });

  it('every read has Accept-Encoding in Vary once, in addition to its other names', async () => {
    for (const path of [...compressible(), '/api/0.1/spore', `${ASSETS}/x`, '/nowhere', '/robots.txt', '/docs/']) {
      for (const accepted of [undefined, 'gzip']) {
        const named = variesBy(await get(path, accepted));
        expect([path, named.filter((name) => name === 'Accept-Encoding')]).toEqual([path, ['Accept-Encoding']]);
      }
    }
    expect(variesBy(await get('/'))).toEqual(['Accept', 'Accept-Language', 'Accept-Encoding']);
    expect(variesBy(await get('/changes.atom'))).toEqual(['Accept-Language', 'Accept-Encoding']);
  });

  it.each<[string, string | null]>([
    ['gzip;q=0, br;q=0, zstd;q=0', null],
    ['gzip;q=0.9, br;q=0.1', 'gzip'],
    ['zstd, gzip', 'zstd'],
    ['identity, gzip;q=0.5', null],
    ['identity;q=0, gzip', 'gzip'],
    ['*', 'br'],
    ['', null],
    [';;q=, gzip;q=1,\t"', 'gzip'],
  ])('Accept-Encoding: %j is answered in %j', async (accepted, coding) => {
    const coded = await get(FULL, accepted);
    expect([coded.status, codingOf(coded)]).toEqual([200, coding]);
    expect(coded.text).toBe((await get(FULL)).text);
  });

  it('an answer of at most 1 KB is not compressed', async () => {
    for (const path of [`${ASSETS}?limit=1`, '/api/0.1/spore', `${ASSETS}/x`]) {
      const reply = await get(path, 'gzip');
      expect(lengthOf(reply)).toBeLessThanOrEqual(1024);
      expect(codingOf(reply)).toBeNull();
    }
  });

  it('answers of writes are not compressed, because they may contain a token', async () => {
    const headers = { 'Accept-Encoding': 'br, zstd, gzip' };
    const body = assetBody({ description: LONG });
    const created = await registry.send(ASSETS, { method: 'POST', key: 'broker', headers, body });
    expect([created.status, codingOf(created), created.headers.get('vary')]).toEqual([201, null, null]);
    expect(lengthOf(created)).toBeGreaterThan(1024);
    const path = `${assetPath()}?acc_token=${owned.token}`;
    const changed = await registry.send(path, { method: 'PATCH', key: 'broker', headers, body: { data: {} } });
    expect([changed.status, codingOf(changed), changed.headers.get('vary')]).toEqual([200, null, null]);
  });

  describe('304', () => {
    const tagged = ['', '&offset=2099-01-01T00:00:00Z'].map((query) => `${FULL}${query}`);
    tagged.push(
      `${ASSETS}/search?limit=3`,
      `${ASSETS}/search?facets=status`,
      `${ASSETS}/search.csv`,
      '/api/0.1/statistics',
      '/statistics',
      '/',
      '/?lang=en',
      '/docs/start.js',
    );

    it.each(tagged)('%s: for a matching ETag in any coding, with the headers of 200', async (path) => {
      const { headers } = await get(path);
      const etag = headers.get('etag') as string;
      expect(etag).toMatch(/^W\/"[\w-]+"$/);
      for (const known of [etag, etag.slice(2), `"x", ${etag}`, '*']) {
        const again = await get(path, 'gzip', { 'If-None-Match': known });
        expect([again.status, again.text, codingOf(again)]).toEqual([304, '', null]);
        for (const name of ['etag', 'link', 'feed-epoch', 'backoff', 'cache-control', 'vary'])
          expect([name, again.headers.get(name)]).toEqual([name, headers.get(name)]);
      }
      expect((await get(path, 'gzip', { 'If-None-Match': 'W/"another"' })).status).toBe(200);
    });

    it('another representation has another tag: indented, of another host, of another page', async () => {
      const tag = async (path: string, headers = {}): Promise<string | null> =>
        (await get(path, undefined, headers)).headers.get('etag');
      const tags = [
        await tag(ASSETS),
        await tag(FULL),
        await tag(`${ASSETS}?opt_pretty=1`),
        await tag(`${ASSETS}?limit=2`),
        await tag(ASSETS, { Host: 'registry.example' }),
        await tag('/?lang=uk'),
        await tag('/?lang=en'),
      ];
      expect(new Set(tags).size).toBe(tags.length);
      expect(tags).not.toContain(null);
    });

    it('after a change the tags are other ones, of the listing, the search and the pages', async () => {
      const paths = [FULL, `${ASSETS}/search`, '/', `/assets/${owned.id}`];
      const tags = async (): Promise<(string | null)[]> =>
        Promise.all(paths.map(async (path) => (await get(path)).headers.get('etag')));
      const before = await tags();
      const { status, json } = await change(registry, owned, { title: 'another title' });
      expect(status).toBe(200);
      await indexedUpTo(json.data.dateModified as string);
      (await tags()).forEach((tag, i) => expect(tag).not.toBe(before[i]));
    });

    it('an asset keeps its strong tag', async () => {
      const plain = await get(assetPath());
      expect(plain.headers.get('etag')).toMatch(/^"/);
      const headers = { 'If-None-Match': plain.headers.get('etag') as string };
      expect((await get(assetPath(), 'br', headers)).status).toBe(304);
    });
  });
});
