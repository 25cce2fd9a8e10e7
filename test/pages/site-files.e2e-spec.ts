import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { change, create, createIn, type Owned, publish } from '../support/assets.js';
import { databases, embedded } from '../support/databases.js';
import { expectError } from '../support/errors.js';
import { newFolder } from '../support/new-folder.js';
import { type Reply, TestRegistry } from '../support/registry.js';
import { runSql } from '../support/rows.js';
import { servedRegistry } from '../support/served-registry.js';
import { attributes } from '../support/shown-page.js';

const folder = newFolder();
const BROWSER = { Accept: 'text/html', 'Accept-Language': 'uk' };

/** All that a file of the sitemap may be: stricter than its schema. */
const SITEMAP =
  /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<(sitemapindex|urlset) xmlns="http:\/\/www\.sitemaps\.org\/schemas\/sitemap\/0\.9">\n(?:<(url|sitemap)><loc>[^<>&"']+<\/loc>(?:<lastmod>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}[+-]\d\d:\d\d<\/lastmod>)?<\/\2>\n)+<\/\1>\n$/;

/** The addresses in a file of the sitemap. */
function addressesIn({ status, text, headers }: Reply): string[] {
  expect([status, headers.get('content-type')]).toEqual([200, 'application/xml; charset=utf-8']);
  expect(text).toMatch(SITEMAP);
  return [...text.matchAll(/<loc>([^<]*)/g)].map(([, address]) => String(address));
}

describe.each(databases)('the sitemap on $name', (kind) => {
  /** Every address of the sitemap, by its parts. */
  async function partsOf(registry: TestRegistry): Promise<Map<string, string[]>> {
    const parts = new Map<string, string[]>();
    for (const address of addressesIn(await registry.send('/sitemap.xml')))
      parts.set(address, addressesIn(await registry.send(address.replace(registry.url, ''))));
    return parts;
  }

  const lastChangeOf = (registry: TestRegistry, { id }: Owned, at: string): Promise<unknown> =>
    runSql(registry, 'UPDATE asset SET feed_us = ?, modified_us = ? WHERE id = ?', [
      BigInt(Date.parse(at)) * 1_000n,
      BigInt(Date.parse(at)) * 1_000n,
      id,
    ]);

  it('has the pages of all published assets by the month of the last change, without drafts and deleted ones', () =>
    TestRegistry.during(kind, {}, async (registry) => {
      const [first, second, third] = [await publish(registry), await publish(registry), await publish(registry)];
      const draft = await create(registry);
      const deleted = await createIn(registry, 'deleted');
      const onlyDeleted = await createIn(registry, 'deleted');
      await lastChangeOf(registry, first, '2024-12-31T23:59:59.999Z');
      await lastChangeOf(registry, second, '2025-01-01T00:00:00Z');
      await lastChangeOf(registry, deleted, '2025-01-02T00:00:00Z');
      await lastChangeOf(registry, onlyDeleted, '2025-03-02T00:00:00Z');
      await lastChangeOf(registry, third, '2025-04-02T00:00:00Z');
      const page = ({ asset }: Owned): string => `${registry.url}/assets/${asset.assetID}`;
      const start = `${registry.url}/`;
      const others = ['about', 'accessibility'].map((path) => start + path);
      const address = (part: string): string => `${start}sitemap.xml?part=${part}`;
      const parts = await partsOf(registry);
      expect(parts).toEqual(
        new Map([
          [address('pages'), [start, ...others]],
          [address('2024-12'), [page(first)]],
          [address('2025-01'), [page(second)]],
          // A file with no address at all would not be valid.
          [address('2025-03'), [start]],
          [address('2025-04'), [page(third)]],
        ]),
      );
      for (const url of [...parts.values()].flat())
        expect((await registry.send(url.replace(registry.url, ''), { headers: BROWSER })).status).toBe(200);
      expect((await registry.send(`/assets/${draft.id}`)).status).toBe(200);
    }));

  it('follows a change to the month in which it was made, at once', () =>
    TestRegistry.during(kind, {}, async (registry) => {
      const owned = await publish(registry);
      await lastChangeOf(registry, owned, '2024-12-31T00:00:00Z');
      expect([...(await partsOf(registry)).keys()].map((part) => part.split('=')[1])).toEqual(['pages', '2024-12']);
      const { json } = await change(registry, owned, { title: 'Changed' });
      const month = new Date(json.data.dateModified).toISOString().slice(0, '2026-11'.length);
      const newest = [...(await partsOf(registry))].at(-1);
      expect(newest).toEqual([
        `${registry.url}/sitemap.xml?part=${month}`,
        [`${registry.url}/assets/${owned.asset.assetID}`],
      ]);
      const { text } = await registry.send(`/sitemap.xml?part=${month}`);
      expect(text).toContain(`<lastmod>${json.data.dateModified}</lastmod>`);
    }));

  it('of an empty registry has the other pages', () =>
    TestRegistry.during(kind, {}, async (registry) => {
      expect([...(await partsOf(registry)).keys()]).toEqual([`${registry.url}/sitemap.xml?part=pages`]);
    }));
});

describe.each(embedded)('files that all sites have, on $name', (kind) => {
  const registry = servedRegistry(kind, {
    PUBLISHER_CONTACT: 'registry@agency.example',
    SEARCH_INDEX: join(folder, 'search.sqlite'),
  });

  describe('/sitemap.xml', () => {
    it.each(['2026', '2026-13', '2026-11.1', '2026-11.0', '9999-12', 'x', '../pages'])(
      'refuses the part %s',
      async (part) => expectError(await registry.send(`/sitemap.xml?part=${part}`), 400, 'header', 'part'),
    );

    it('refuses two parts, and is 404 for a month without changes', async () => {
      expectError(await registry.send('/sitemap.xml?part=pages&part=pages'), 400, 'header', 'part');
      expectError(await registry.send('/sitemap.xml?part=1999-12'), 404, 'header', 'path');
      expectError(await registry.send('/sitemap.xml?part=2026-11.99999'), 404, 'header', 'path');
    });

    it('has the statistics where there is a search', async () =>
      expect(addressesIn(await registry.send('/sitemap.xml?part=pages'))).toContain(`${registry.url}/statistics`));

    it.each(['/sitemap.xml', '/sitemap.xml?part=pages'])('%s is 304 for a client that has it', async (path) => {
      const { headers } = await registry.send(path);
      const again = await registry.send(path, { headers: { 'If-None-Match': String(headers.get('etag')) } });
      expect([again.status, again.text]).toEqual([304, '']);
    });
  });

  describe('/robots.txt', () => {
    it('allows crawlers only the pages, and names the sitemap', async () => {
      const { status, headers, text } = await registry.send('/robots.txt');
      expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
      expect(text).toContain('Disallow: /api/\n');
      expect(text).toContain(`\nSitemap: ${registry.url}/sitemap.xml\n`);
    });

    it('names the sitemap below PUBLIC_URL', () =>
      TestRegistry.during(kind, { PUBLIC_URL: 'https://registry.example/r' }, async (other) => {
        expect((await other.send('/robots.txt')).text).toContain('Sitemap: https://registry.example/r/sitemap.xml\n');
        expect((await other.send('/sitemap.xml')).text).toContain('<loc>https://registry.example/r/sitemap.xml?part=');
      }));
  });

  describe('/.well-known/security.txt', () => {
    const PATH = '/.well-known/security.txt';

    it('has the fields of RFC 9116, and expires within a year', async () => {
      const { status, headers, text } = await registry.send(PATH);
      expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
      const fields = text
        .trimEnd()
        .split('\n')
        .map((line) => /^([A-Z][A-Za-z-]+): (\S.*)$/.exec(line)?.slice(1));
      const { Expires = '', ...others } = Object.fromEntries(fields as [string, string][]);
      expect(others).toEqual({
        Contact: 'mailto:registry@agency.example',
        'Preferred-Languages': 'uk, en',
        Canonical: registry.url + PATH,
      });
      expect(Expires).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      const days = (Date.parse(Expires) - Date.now()) / 86_400_000;
      expect([days > 30, days < 365]).toEqual([true, true]);
    });

    it('has the security contact if one is set', () =>
      TestRegistry.during(
        kind,
        { PUBLISHER_CONTACT: 'registry@agency.example', SECURITY_CONTACT: 'https://agency.example/report' },
        async (other) => expect((await other.send(PATH)).text).toContain('Contact: https://agency.example/report\n'),
      ));

    it('is not there without a contact', () =>
      TestRegistry.during(kind, {}, async (other) => expectError(await other.send(PATH), 404, 'header', 'path')));
  });

  it('/favicon.ico is an image outside of the rate limits', () =>
    TestRegistry.during(kind, { RATE_LIMIT: '1', RATE_LIMIT_READS: '0.001/1' }, async (other) => {
      for (let i = 0; i < 3; i++) {
        const { status, headers } = await other.send('/favicon.ico');
        expect([status, headers.get('content-type')]).toEqual([200, 'image/vnd.microsoft.icon']);
      }
    }));

  it.each(['/sitemap.xml', '/robots.txt', '/.well-known/security.txt', '/favicon.ico', '/about'])(
    '%s answers HEAD and lists its methods',
    async (path) => {
      expect(await registry.send(path, { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
      const { status, headers } = await registry.send(path, { method: 'OPTIONS' });
      expect([status, headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS']);
      expectError(await registry.send(path, { method: 'POST', key: 'broker', body: {} }), 404, 'header', 'path');
    },
  );

  describe('the head of a page', () => {
    const linksOf = async (path: string): Promise<string[]> => {
      const { text } = await registry.send(path, { headers: BROWSER });
      const links = text.match(/<link rel="(?:canonical|alternate" hreflang)[^>]*>/g) ?? [];
      return links.map((link) => [...attributes(link, 'hreflang'), ...attributes(link, 'href')].join(' '));
    };

    it.each(['/', '/about', '/accessibility', '/statistics', 'an asset'])(
      'of %s has its canonical address, and one for each language',
      async (name) => {
        const path = name === 'an asset' ? `/assets/${(await publish(registry)).asset.assetID}` : name;
        const url = registry.url + path;
        const languages = [`uk ${url}?lang=uk`, `en ${url}?lang=en`, `x-default ${url}`];
        expect(await linksOf(path)).toEqual([url, ...languages]);
        // An address with a language is canonical for that language; engines ignore others.
        expect(await linksOf(`${path}?lang=en`)).toEqual([`${url}?lang=en`, ...languages]);
      },
    );

    it.each(['/?q=земля', '/?status=any-state', '/nowhere', 'a draft'])('of %s has none of it', async (name) => {
      const path = name === 'a draft' ? `/assets/${(await create(registry)).id}` : name;
      expect(await linksOf(path)).toEqual([]);
    });
  });
});
