import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { assetBody, change, changeAs, type JsonObject, LOT, type Owned, publish } from '../../support/assets.js';
import { databases, type TestDatabaseKind } from '../../support/databases.js';
import { faultsOfHtml } from '../../support/html.js';
import { runSql } from '../../support/rows.js';
import { Site } from '../../support/site.js';

const [sqlite] = databases as [TestDatabaseKind];

/** Titles that try to inject markup, script or text direction. */
const TITLES = [
  '<script>document.title = "taken"</script>',
  '</title></h1></article><script src="https://example.org/x.js"></script>',
  '<img src=x onerror="document.title = \'taken\'">',
  `"><svg onload="document.title='taken'">`,
  `' autofocus onfocus='document.title="taken"`,
  '<!-- --><![CDATA[ ]]><style>* { display: none }</style>',
  '&lt;b&gt; &amp;amp; &#60;i&#62; &copy',
  '{{7*7}} ${7*7} <%= 7*7 %>',
  '<iframe srcdoc="<script>parent.document.title=1</script>"></iframe>',
  '<meta http-equiv="refresh" content="0;url=https://example.org/">',
  '<base href="https://example.org/">',
  'javascript:document.title="taken"',
  '\u202eедар ан\u202c \u2067rtl\u2069 \u200f\u061c\u202e',
  'z\u0337\u0322a\u0338\u0321l\u0336\u0322'.repeat(60),
  'ж'.repeat(2_000),
  'W'.repeat(2_000),
  '👩‍👩‍👧‍👦'.repeat(150),
];
const WIDTHS = [320, 1_200];
/** The longest text, of the character that is longest in HTML. */
const LONG = '<"&\'>'.repeat(400);
const MAX_BYTES = 30_000;
const MAX_BYTES_OF_LIST = 40_000;
const CHANGES = 16;

/** Every field of an asset, each text as long as this one or longer. */
function fieldsWith(text: string): JsonObject {
  const address = { countryName: text, region: text, locality: text, streetAddress: text, postalCode: text };
  return {
    title: text,
    description: text.repeat(20),
    classification: { scheme: text, id: text, description: text },
    value: { currency: 'UAH', amount: text.length },
    unit: { code: text, name: text },
    quantity: text.length,
    address,
    assetCustodian: {
      name: text,
      identifier: { scheme: text, id: text },
      address,
      contactPoint: { name: text, telephone: text },
    },
  };
}

describe('a hostile asset in a browser', () => {
  let site: Site;
  const owned: Owned[] = [];

  beforeAll(async () => {
    site = await Site.start(sqlite);
    for (const title of TITLES) owned.push(await publish(site, { title }));
    await site.indexed();
  });
  afterAll(() => site?.stop());
  afterEach(async () => expect(await site.leave()).toEqual([]));

  /** The part of a title that is never cut. */
  const beginOf = (text: string | null | undefined): string => String(text).trim().slice(0, 80);

  it.each(TITLES.map((title, i) => [i, title.slice(0, 40)]))('title %i, %s, is text on its own page', async (i) => {
    const title = TITLES[i as number] as string;
    const page = await site.open(`/assets/${(owned[i as number] as Owned).asset.assetID}`);
    expect(beginOf(await page.locator('h1').textContent())).toBe(beginOf(title));
    expect(await page.title()).toContain(beginOf(title));
    expect(
      await page
        .locator(
          'script:not([type="application/ld+json"]), img:not([src^="/pages/"]), svg, iframe, style, meta[http-equiv], base',
        )
        .count(),
    ).toBe(0);
    expect(await page.locator('#curl').isVisible()).toBe(true);
    for (const width of WIDTHS) expect(await widthAt(page, width)).toBe(width);
    expect(await faultsOfHtml(await site.html(new URL(page.url()).pathname))).toEqual([]);
  });

  it('all of them are text in a list, which stays one', async () => {
    const page = await site.open('/');
    const shown = await page
      .locator('#assets h2')
      .evaluateAll((all) => all.map((heading) => heading.textContent?.trim()));
    expect(shown.map(beginOf)).toEqual(TITLES.toReversed().map(beginOf));
    expect(
      await page.locator('script:not([type="application/ld+json"]), #assets img, iframe, style, base').count(),
    ).toBe(0);
    for (const width of WIDTHS) expect(await widthAt(page, width)).toBe(width);
    expect(await faultsOfHtml(await site.html('/'))).toEqual([]);
  });

  it('a title with direction marks leaves its surroundings as they are', async () => {
    const page = await site.open('/');
    const directions = await page.evaluate<string[]>(
      "[...document.querySelectorAll('#assets h2 bdi')].map((one) => getComputedStyle(one).unicodeBidi)",
    );
    expect(new Set(directions)).toEqual(new Set(['isolate']));
    expect(directions).toHaveLength(TITLES.length);
  });

  it.each(['javascript:document.title="taken"', '//example.org/'])(
    'a stored address such as %s is not a link',
    async (uri) => {
      const { id, asset } = await publish(site);
      const { data } = assetBody();
      const stored = JSON.stringify(data).replace('http://www.dus.gov.ua/', JSON.stringify(uri).slice(1, -1));
      await runSql(site.registry, 'UPDATE asset SET body = ? WHERE id = ?', [stored, id]);
      const page = await site.open(`/assets/${asset.assetID}`);
      expect(await page.getByRole('article').innerText()).toContain(uri.trim());
      const hrefs = await page.evaluate<string[]>(
        "[...document.querySelectorAll('article a')].map(({ href }) => href)",
      );
      const foreign = hrefs.filter((href) => !/^tel:\d+$/.test(href) && new URL(href).origin !== site.url);
      expect(foreign).toEqual([]);
    },
  );

  it('the largest asset with the longest history makes a page of at most 30 KB, and says that there is more', async () => {
    const largest = await publish(site, fieldsWith(LONG));
    // Each change changes every field.
    for (let i = 0; i < CHANGES; i++) {
      const { status } = await change(site, largest, fieldsWith(`${i} ${LONG.slice(10)}`));
      expect(status).toBe(200);
    }
    await changeAs(site, 'concierge', largest.id, { status: 'active', relatedLot: LOT });
    for (const lang of ['uk', 'en']) {
      const html = await site.html(`/assets/${largest.asset.assetID}?lang=${lang}`);
      expect(Buffer.byteLength(html)).toBeLessThanOrEqual(MAX_BYTES);
      expect(await faultsOfHtml(html)).toEqual([]);
    }
    const page = await site.open(`/assets/${largest.asset.assetID}`);
    expect(await page.getByRole('article').innerText()).toContain('Shortened');
    for (const width of WIDTHS) expect(await widthAt(page, width)).toBe(width);
  });

  it('a list of the largest assets is of at most 40 KB', async () => {
    for (let i = 0; i < 26; i++) await publish(site, fieldsWith(LONG));
    await site.indexed();
    const [, offset] = /offset=([^&"]+)/.exec(await site.html('/?lang=uk')) ?? [];
    const query = new URLSearchParams({
      q: LONG.slice(0, 200),
      owner: LONG.slice(0, 200),
      region: LONG.slice(0, 200),
      lang: 'uk',
    });
    for (const path of ['/?lang=uk', `/?${query.toString()}`, `/?offset=${offset}&descending=1&lang=en`]) {
      const html = await site.html(path);
      expect(Buffer.byteLength(html)).toBeLessThanOrEqual(MAX_BYTES_OF_LIST);
      expect(await faultsOfHtml(html)).toEqual([]);
    }
  });
});

async function widthAt(page: Page, width: number): Promise<number> {
  await page.setViewportSize({ width, height: 800 });
  return page.evaluate<number>('document.documentElement.scrollWidth');
}
