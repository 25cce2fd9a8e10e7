import { describe, expect, it } from '@jest/globals';
import * as installed from '../../src/asset-types/installed.js';
import type { AssetType } from '../../src/asset-types/asset-type.js';
import {
  ASSETS,
  change,
  create,
  createFrom,
  createIn,
  type JsonObject,
  type Owned,
  publish,
} from '../support/assets.js';
import { embedded } from '../support/databases.js';
import { expectError } from '../support/errors.js';
import { type Reply, TestRegistry } from '../support/registry.js';
import { servedRegistry } from '../support/served-registry.js';
import { runSql } from '../support/rows.js';
import { attributes, listedOn, textOf } from '../support/shown-page.js';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

describe.each(embedded)('the pages on $name', (kind) => {
  const registry = servedRegistry(kind);

  /** As a browser asks. */
  const visit = (path: string, language = 'en', site = registry): Promise<Reply> =>
    site.send(path, { headers: { Accept: BROWSER, 'Accept-Language': language } });
  const pageOf = ({ asset }: Owned, language?: string): Promise<Reply> => visit(`/assets/${asset.assetID}`, language);

  it('of an empty registry say what to try, and have an Atom feed without entries', () =>
    TestRegistry.during(kind, {}, async (empty) => {
      const { status, text } = await visit('/', 'en', empty);
      expect(status).toBe(200);
      expect(textOf(text)).toContain('npx asset-registry --demo');
      expect(textOf(text)).toContain(`${empty.url}${ASSETS}`);
      const feed = await visit('/changes.atom', 'en', empty);
      expect([feed.status, feed.text.includes('<entry>')]).toEqual([200, false]);
    }));

  describe('everywhere', () => {
    it.each(['/', `/assets/${'0'.repeat(32)}`])('%s allows a browser only our style and images', async (path) => {
      const { headers, text } = await visit(path);
      expect(headers.get('content-security-policy')).toBe(POLICY);
      expect(headers.get('referrer-policy')).toBe('same-origin');
      const tags = text
        .replace(OUR_DATA, '')
        .match(/<[^>]*>/g)
        ?.join('');
      expect(tags).not.toMatch(/<script|<style|\sstyle=|\son\w+=/);
      // Addresses for search engines are whole; no browser loads them.
      const loaded = text.replaceAll(/<link rel="(?:canonical|alternate)"[^>]*>/g, '');
      for (const name of [...attributes(loaded, 'src'), ...attributes(loaded, 'href')]) expect(name).toMatch(/^[/#]/);
    });

    it('the style and the image may be cached forever', async () => {
      const { text } = await visit('/');
      const files = [...attributes(text, 'src'), ...attributes(text, 'href')].filter((name) =>
        name.startsWith('/pages/'),
      );
      expect(new Set(files).size).toBe(2);
      for (const file of files) {
        const { status, headers } = await visit(file);
        expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
        expect(headers.get('content-type')).toMatch(file.endsWith('.css') ? /^text\/css/ : /^image\/svg\+xml/);
      }
      expectError(await registry.send('/pages/style-000000000000.css'), 404, 'header', 'path');
    });

    it.each(['/assets/x', '/changes.atom'])('%s lists its methods', async (path) => {
      const { status, headers } = await registry.send(path, { method: 'OPTIONS' });
      expect([status, headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS']);
      expectError(await registry.send(path, { method: 'POST', key: 'broker', body: {} }), 404, 'header', 'path');
    });

    it.each([
      ['/statistics/?lang=en', '/statistics?lang=en'],
      ['/accessibility//', '/accessibility'],
      ['/about/', '/about'],
      ['/assets/%D1%8F/', '/assets/%D1%8F'],
      ['/assets/x/?ACC_TOKEN=secret&acc%5Ftoken=secret&at=2026-11-28', '/assets/x?at=2026-11-28'],
    ])('%s redirects only browsers to %s', async (path, location) => {
      const { status, headers } = await visit(path);
      expect([status, headers.get('location'), headers.get('vary')]).toEqual([
        301,
        location,
        'Accept, Accept-Encoding',
      ]);
      expectError(await registry.send(path), 404, 'header', 'path');
      const post = { method: 'POST', headers: { Accept: 'text/html' }, body: '' };
      for (const other of ['//statistics/', '/assets//', '/nowhere/', '/assets/x&acc%5Ftoken=secret/'])
        expect(await visit(other)).toMatchObject({ status: 404, text: expect.not.stringContaining('secret') });
      expect((await registry.send(path, post)).status).toBe(404);
    });

    it('HEAD answers as GET, with no body', async () => {
      const { status, headers, text } = await registry.send('/', { method: 'HEAD' });
      expect([status, headers.get('content-type'), text]).toEqual([200, 'text/html; charset=utf-8', '']);
    });
  });

  describe('of an asset', () => {
    it('show every field of every installed type, in both languages', async () => {
      for (const { example, labels, name } of Object.values<AssetType>(installed)) {
        const owned = await createFrom(registry, example);
        await change(registry, owned, { ...example.moves?.['pending'], status: 'pending' });
        for (const language of ['uk', 'en'] as const) {
          const { status, text } = await pageOf(owned, language);
          expect([name, status]).toEqual([name, 200]);
          const seen = textOf(text);
          for (const value of [labels[language], owned.asset.assetID, String(example.data['title'])])
            expect(seen).toContain(value);
        }
      }
    });

    it('show the name under which people know the broker, which the API does not', async () => {
      const owned = await publish(registry);
      const path = `${ASSETS}/${owned.id}`;
      const { text: before } = await registry.send(path);
      const at = `?at=${encodeURIComponent(String(JSON.parse(before).data.dateModified))}`;
      await runSql(registry, 'UPDATE account SET display_name = ? WHERE name = ?', ['ТОВ <b>«Акме»', 'broker']);
      try {
        expect(textOf((await pageOf(owned, 'uk')).text)).toContain('Організатор ТОВ <b>«Акме» · broker Створено');
        const past = await visit(`/assets/${owned.asset.assetID}${at}`);
        expect(textOf(past.text)).toContain('Broker ТОВ <b>«Акме» · broker Created');
        expect((await registry.send(path)).text).toBe(before);
      } finally {
        await runSql(registry, 'UPDATE account SET display_name = NULL', []);
      }
      expect(textOf((await pageOf(owned)).text)).toContain('Broker broker Created');
    });

    it('show old and new values of nested fields, and the beginning of a long text', async () => {
      const owned = await publish(registry, { description: 'Опис' });
      const assetCustodian = { contactPoint: { telephone: '+380440000001' } };
      await change(registry, owned, { value: { amount: 250.5 }, assetCustodian, description: 'Ж'.repeat(5_000) });
      const seen = textOf((await pageOf(owned)).text);
      expect(seen).toMatch(/Description: Опис → Ж{50,140}…/);
      expect(seen).toContain('Value: 100.00 UAH , VAT included → 250.50 UAH , VAT included');
      expect(seen).toMatch(/Custodian › Contact point: .* → .* \+380440000001/);
    });

    it('show long texts from their difference, and only the name of a field whose values look equal', async () => {
      const [beginning, end] = ['Довгий опис без кінця. '.repeat(30), ' Далі те саме.'.repeat(30)];
      const description = `${beginning}Площа 5 га.${end}`;
      const owned = await publish(registry, { description });
      await change(registry, owned, { description: description.replace('5 га', '7 га') });
      const seen = textOf((await pageOf(owned)).text);
      expect(seen).toMatch(/Description: ….{10,40}Площа 5 га.* → ….{10,40}Площа 7 га/);
      const made = await createFrom(registry, installed.compound.example);
      await change(registry, made, { status: 'pending' });
      const [first, ...others] = made.asset['items'] as JsonObject[];
      await change(registry, made, { items: [{ ...first, description: 'Інше' }, ...others] });
      const history = /<ol id="timeline">[\s\S]*?<\/ol>/.exec((await pageOf(made)).text)?.[0] as string;
      expect(textOf(history)).toContain('Changed: Items');
      expect(history).not.toContain('<del>');
    });

    it('have JSON-LD of schema.org', async () => {
      const owned = await publish(registry, { title: '</script><b>& "назва"' });
      const [, json = ''] = OUR_DATA.exec((await pageOf(owned)).text) ?? [];
      expect(JSON.parse(json)).toMatchObject({
        '@context': 'https://schema.org',
        url: `${registry.url}/assets/${owned.asset.assetID}`,
        dateModified: (await registry.send(`${ASSETS}/${owned.id}`)).json.data.dateModified,
        mainEntity: { name: '</script><b>& "назва"', identifier: owned.asset.assetID },
      });
      expect((await visit(`/assets/${(await create(registry)).id}`)).text).not.toContain('<script');
    });

    it('link to no table and no feed of the asset if there is no search', async () => {
      const { text } = await pageOf(await publish(registry));
      expect(attributes(text, 'href').filter((href) => /csv|\?q=/.test(href))).toEqual([]);
    });

    it('show the state at an instant, marked as past and not indexed', async () => {
      const owned = await publish(registry, { title: 'Перша назва' });
      await change(registry, owned, { title: 'Друга назва' });
      const now = await pageOf(owned);
      const [oldest, ...others] = attributes(now.text, 'href').filter((href) => href.includes('?at='));
      expect(others).toEqual([]);
      const past = await visit(oldest as string);
      expect(past.status).toBe(200);
      expect(past.text).toContain('<h1><bdi>Перша назва</bdi></h1>');
      expect(past.text).toContain('<p role="status" class="banner past">');
      expect(past.text).toContain('<meta name="robots" content="noindex" />');
      expect(textOf(past.text)).toContain('What has changed since then Field Then Now Title Перша назва Друга назва');
      expect(past.text.match(/Друга назва/g)).toHaveLength(1);
      expect(attributes(past.text, 'href')).toContain(`/assets/${owned.asset.assetID}`);
      const json = attributes(past.text, 'href').find((href) => href.startsWith(ASSETS)) as string;
      expect((await registry.send(json)).json.data.title).toBe('Перша назва');
      expect(attributes(past.text, 'href')).toContain(
        `${(oldest as string).replaceAll('%3A', ':')}&lang=uk`.replaceAll(':', '%3A'),
      );
    });

    it('say that nothing has changed since an instant, and link to the present page', async () => {
      const owned = await publish(registry);
      const { text } = await visit(`/assets/${owned.asset.assetID}?at=2999-01-01`);
      expect(textOf(text)).toContain('This is how the asset still is');
      expect(attributes(text, 'href')).toContain(`/assets/${owned.asset.assetID}`);
    });

    it('are errors before the publication and for a malformed instant', async () => {
      const owned = await publish(registry);
      const at = (text: string): Promise<Reply> => visit(`/assets/${owned.asset.assetID}?at=${text}`);
      const early = await at('2001-01-01');
      expect(early.status).toBe(404);
      expect(textOf(early.text)).toContain('it was not public at that time');
      expect(attributes(early.text, 'href')).toContain(`/assets/${owned.asset.assetID}`);
      const malformed = await at('yesterday');
      expect([malformed.status, textOf(malformed.text).includes('400 at')]).toEqual([400, true]);
      const draft = await create(registry);
      expect((await visit(`/assets/${draft.id}?at=2999-01-01`)).status).toBe(404);
    });

    it('have its JSON as the API answers it, and the line that asks for it', async () => {
      const owned = await publish(registry, { title: `"'<&>` });
      const { text } = await pageOf(owned);
      const answered = (await registry.send(`${ASSETS}/${owned.id}`)).text;
      expect(textOf(text)).toContain(answered.slice('{"data":'.length, -1));
      expect(textOf(text)).toContain(`curl '${registry.url}${ASSETS}/${owned.id}?opt_pretty=1'`);
      expect(attributes(text, 'href')).toContain(`${ASSETS}/${owned.id}/history?opt_pretty=1`);
    });

    it('are the same by id and by assetID, and say which is the lasting one', async () => {
      const owned = await publish(registry);
      const [byId, byNumber] = [await visit(`/assets/${owned.id}`), await pageOf(owned)];
      expect(textOf(byId.text)).toBe(textOf(byNumber.text));
      expect(byId.text).toContain(`<link rel="canonical" href="${registry.url}/assets/${owned.asset.assetID}" />`);
    });

    it('show a draft by its id only, marked as not published, to no search engine', async () => {
      const owned = await create(registry, { title: 'Ще чернетка' });
      const { status, text } = await visit(`/assets/${owned.id}`);
      expect(status).toBe(200);
      expect(text).toContain('<p role="status" class="banner private">A draft: not published');
      expect(text).toContain('<meta name="robots" content="noindex" />');
      expect(text).not.toContain('id="timeline"');
      expect((await pageOf(owned)).status).toBe(404);
    });

    it('mark a deleted asset, and still show it', async () => {
      const { text } = await pageOf(await createIn(registry, 'deleted'));
      expect(text).toContain('<p role="status" class="banner gone">This asset has been withdrawn');
      expect(text).toContain('<h1><bdi>Земля для космодрому</bdi></h1>');
    });
  });

  describe('of what a hostile broker wrote', () => {
    const HOSTILE = [
      '<script>alert(1)</script>',
      '"><img src=x onerror=alert(1)>',
      "' onmouseover='alert(1)",
      '</title><svg onload=alert(1)>',
      '{{constructor.constructor("alert(1)")()}} ${alert(1)} <%= 1 %>',
      ']]><script>alert(1)</script><!--',
      '&lt;script&gt; &amp;amp; &#x3c;b&#x3e;',
      '\u202e\u2066 right to left \ufffe\uffff',
    ];

    // browser/hostile.e2e-spec.ts looks at the pages.
    it('show it as text in the Atom feed', async () => {
      for (const title of HOSTILE) await publish(registry, { title });
      const { text } = await visit('/changes.atom');
      expect(text.split('<entry>').length).toBeGreaterThan(HOSTILE.length);
      expect(text).not.toMatch(/<(?:script|img|svg|b>|!--)|\]\]>|[\ufffe\uffff]/);
    });

    it('show what was searched for as text', async () => {
      for (const text of HOSTILE) {
        const encoded = encodeURIComponent(text);
        const { status, text: page } = await visit(`/?q=${encoded}&region=${encoded}&owner=${encoded}`);
        expect(status).toBe(200);
        expectNoMarkupOf(page);
        const refused = await visit(`/?q=${encoded}&type=${encoded}`);
        expect(refused.status).toBe(400);
        expectNoMarkupOf(refused.text);
      }
    });
  });

  describe('in two languages', () => {
    it('are in the one that the browser asks for', async () => {
      for (const [asked, language, title] of [
        ['uk-UA,uk;q=0.9,en;q=0.8', 'uk', 'Останні зміни'],
        ['en-GB,en;q=0.9', 'en', 'Newest changes'],
        ['de', 'uk', 'Останні зміни'],
      ] as const) {
        const { headers, text } = await visit('/', asked);
        expect(headers.get('content-language')).toBe(language);
        expect(headers.get('vary')).toContain('Accept-Language');
        expect(text).toContain(`<html lang="${language}">`);
        expect(text).toContain(`<h1>${title}</h1>`);
      }
    });

    it('are in the one that was chosen, and links keep it', async () => {
      const owned = await publish(registry);
      const { text } = await visit('/?lang=en', 'uk');
      expect(text).toContain('<html lang="en">');
      expect(listedOn(text)).toContain(owned.asset.assetID);
      const own = attributes(text, 'href').filter((href) => /^\/(?:$|\?|assets\/|changes|accessibility)/.test(href));
      expect(own.filter((href) => !/[?&]lang=/.test(href))).toEqual([]);
      expect(attributes(text, 'href')).toContain('/?lang=uk');
      // Screen readers need the language of each name.
      expect(text).toMatch(/hreflang="uk"\s+lang="uk"\s+>Українська</);
    });
  });

  it('has a statement of accessibility in both languages, to which every page leads', async () => {
    for (const [language, title] of [
      ['uk', 'Доступність'],
      ['en', 'Accessibility'],
    ] as const) {
      const { status, text } = await visit('/accessibility', language);
      expect([status, text.includes(`<h1>${title}</h1>`), text.includes('EN 301 549')]).toEqual([200, true, true]);
      // Errors of html-validate are no gap: another test allows none.
      expect(text).not.toMatch(/елементах time|time elements/);
    }
    expect(attributes((await visit('/')).text, 'href')).toContain('/accessibility');
  });

  it.each(['uk', 'en'])('have DCAT metadata of all data on the first page (%s)', async (lang) => {
    const { text } = await visit('/', lang);
    const [, json = ''] = OUR_DATA.exec(text) ?? [];
    const dataset = JSON.parse(json) as JsonObject;
    expect(dataset).toMatchObject({ '@type': 'Dataset', '@id': `${registry.url}/` });
    expect(textOf(text)).toContain(dataset['dct:description']);
    const addresses = [...json.matchAll(/"@id":"(http[^"]*)"/g)].map(([, address]) => String(address));
    const paths = addresses.map((address) => address.replace(registry.url, ''));
    for (const end of ['.jsonl.gz', '.csv.gz', '/openapi.json', '/changes.atom'])
      expect([end, paths.some((path) => path.endsWith(end))]).toEqual([end, true]);
    for (const path of paths) expect([path, (await registry.send(path)).status]).toEqual([path, 200]);
  });

  it.each(['/?status=any-state', '/?offset=2020-01-01', '/statistics', '/accessibility', '/about'])(
    'have no DCAT metadata at %s',
    async (path) => {
      expect((await visit(path)).text).not.toContain('<script');
    },
  );

  describe('of errors', () => {
    it.each(['/api/nothing', '/docs/nothing', '/health/nothing', `${ASSETS}/x`])(
      'at %s are JSON for every client',
      async (path) => {
        const { status, headers } = await visit(path);
        expect([status < 300 || status === 404, headers.get('content-type')]).toEqual([true, 'application/json']);
      },
    );

    it('are in the language of the reader', async () => {
      const { headers, text } = await visit('/?offset=yesterday', 'uk');
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(textOf(text)).toContain('Цю частину адреси не вдалося прочитати: 400 offset');
      expect(textOf(text)).not.toMatch(/[a-z]{3,} [a-z]{3,} [a-z]{3,}/);
    });

    it.each([
      ['/assets/x', 404, 'Page not found'],
      [`/assets/${'0'.repeat(32)}`, 404, 'Page not found'],
      ['/assets/UA-2001-01-01-000001', 404, 'Page not found'],
      ['/?offset=yesterday', 400, 'There is a mistake in the address'],
      ['/assets/', 404, 'Page not found'],
      ['/nowhere', 404, 'Page not found'],
      ['/apis', 404, 'Page not found'],
    ])('%s is a page for a browser, and the error body for a program', async (path, status, title) => {
      const seen = await visit(path);
      expect([seen.status, seen.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8']);
      expect(seen.headers.get('content-language')).toBe('en');
      expect(seen.text).toContain(`<h1>${title}</h1>`);
      const name = path.startsWith('/?') ? 'offset' : /^\/assets\/./.test(path) ? 'id' : 'path';
      expectError(await registry.send(path), status, 'header', name);
    });
  });
});

/** The JSON-LD of a page; no element begins or ends in it. */
const OUR_DATA = /<script type="application\/ld\+json">([^<]*)<\/script>/;

/** Expects that no text has become a tag or an attribute. */
function expectNoMarkupOf(page: string): void {
  const tags = page.replace(OUR_DATA, '').replaceAll(/"[^"]*"/g, '""');
  expect(tags).not.toMatch(/<(?:script|img src=x|svg|b>|%|!--)/i);
  expect(tags).not.toMatch(/<[^>]*\son\w+=/);
}
