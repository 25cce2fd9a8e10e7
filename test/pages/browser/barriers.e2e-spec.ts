import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import compound from '../../../src/asset-types/compound/compound.example.json' with { type: 'json' };
import { ASSETS, change, createFrom, createIn } from '../../support/assets.js';
import { accessibilityViolations } from '../../support/axe.js';
import type { Visit } from '../../support/browser.js';
import { databases, type TestDatabaseKind } from '../../support/databases.js';
import { faultsOfHtml } from '../../support/html.js';
import { Site } from '../../support/site.js';

const [sqlite] = databases as [TestDatabaseKind];

const NARROW = { width: 320, height: 640 };
const MAX_BYTES = 30_000;
/** All settings that the footer shows. */
const PUBLISHER = {
  PUBLISHER_NAME: 'Агенція з управління майном громади',
  PUBLISHER_URL: 'https://agency.example/',
  PUBLISHER_CONTACT: 'registry@agency.example',
  LICENCE: 'https://agency.example/a-licence-with-a-long-name-that-has-to-be-broken-somewhere',
  TERMS_URL: 'https://agency.example/terms-with-a-long-name-that-has-to-be-broken-somewhere',
  UPDATE_FREQUENCY: 'daily',
};
const PAGES = [
  'home',
  'found',
  'nothing found',
  'refused search',
  'items',
  'deleted',
  'history',
  'past',
  'draft',
  'statistics',
  'statistics of a search',
  'accessibility',
  'about',
  'not found',
] as const;
type PageName = (typeof PAGES)[number];
const NOT_FOR_ENGINES: ReadonlySet<PageName> = new Set(['refused search', 'history', 'past', 'draft', 'not found']);

describe('a visitor of the pages', () => {
  let site: Site;
  /** Links that were followed already. */
  const reached = new Set<string>();
  const paths = new Map<PageName, string>([
    ['home', '/'],
    ['refused search', encodeURI('/?q=космодром&valueFrom=дешево&modifiedFrom=вчора&status=active')],
    ['found', encodeURI('/?q=майно&sort=value')],
    ['nothing found', encodeURI('/?q=космодром&status=active')],
    ['statistics', '/statistics'],
    ['statistics of a search', encodeURI('/statistics?q=майно')],
    ['accessibility', '/accessibility'],
    ['about', '/about'],
    ['not found', '/assets/UA-2001-01-01-000001'],
  ]);

  beforeAll(async () => {
    site = await Site.start(sqlite, PUBLISHER);
    for (const status of ['pending', 'active', 'complete']) await createIn(site, status);
    const mill = await createFrom(site, compound);
    await change(site, mill, { status: 'pending' });
    await change(site, mill, { title: 'Цілісний майновий комплекс «Старий млин»' });
    paths.set('items', `/assets/${mill.asset.assetID}`);
    paths.set('history', `/assets/${mill.asset.assetID}/history`);
    const [{ dateModified }] = (await site.registry.send(`${ASSETS}/${mill.id}/history`)).json.data;
    paths.set('past', `/assets/${mill.asset.assetID}?at=${encodeURIComponent(dateModified)}`);
    paths.set('deleted', `/assets/${(await createIn(site, 'deleted')).asset.assetID}`);
    paths.set('draft', `/assets/${(await createIn(site, 'draft')).id}`);
    await site.indexed();
  });
  afterAll(() => site?.stop());

  describe.each(PAGES)('%s', (name) => {
    let visit: Visit;
    let page: Page;

    beforeAll(async () => {
      visit = await site.visit({ colorScheme: 'light' });
      ({ page } = visit);
      await visit.goTo(paths.get(name) as string);
    });
    afterEach(() => expect(visit.faults).toEqual([]));
    afterAll(() => site.leave());

    it('has one first-level heading, no skipped levels, no script, and a description', async () => {
      const levels = await page
        .locator('h1, h2, h3, h4, h5, h6')
        .evaluateAll((all) => all.map(({ tagName }) => Number(tagName[1])));
      expect(levels.filter((level) => level === 1)).toHaveLength(1);
      levels.forEach((level, i) => expect(level - (levels[i - 1] ?? 0)).toBeLessThanOrEqual(1));
      expect(await page.locator('script:not([type="application/ld+json"])').count()).toBe(0);
      const { asked } = visit;
      for (const path of asked.slice(1)) expect(path).toMatch(/^\/pages\/(?:style|icon)-[0-9a-f]{12}\.(?:css|svg)$/);
      expect(asked.length).toBeGreaterThan(1);
      const contentOf = (meta: string): Promise<string | null> =>
        page.locator(`meta[name=${meta}]`).getAttribute('content');
      expect((await page.title()).length).toBeGreaterThan(10);
      expect(await contentOf('viewport')).toBe('width=device-width, initial-scale=1');
      // A description for search engines, or noindex.
      if (NOT_FOR_ENGINES.has(name)) expect(await contentOf('robots')).toBe('noindex');
      else expect(await contentOf('description')).toMatch(/\S{3}.{20}/);
    });

    it('meets no barrier: in light and dark colours, and on a narrow screen, where nothing scrolls sideways', async () => {
      // Unfolds everything, so that it is checked too.
      await page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))");
      expect(await accessibilityViolations(page)).toEqual([]);
      expect(await brightnessOf(page)).toBeGreaterThan(200);
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await accessibilityViolations(page, ['color-contrast'])).toEqual([]);
      expect(await brightnessOf(page)).toBeLessThan(60);
      await page.setViewportSize(NARROW);
      expect(await widthOf(page)).toBe(NARROW.width);
      expect(await accessibilityViolations(page, ['target-size'])).toEqual([]);
    });

    it('meets no barrier in Ukrainian', async () => {
      await visit.goTo(String(await page.locator('#language a[lang=uk]').getAttribute('href')));
      expect(await page.locator('html').getAttribute('lang')).toBe('uk');
      await page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))");
      expect(await accessibilityViolations(page)).toEqual([]);
    });

    it('is sound HTML of at most 30 KB', async () => {
      const html = await site.html(paths.get(name) as string);
      expect(await faultsOfHtml(html)).toEqual([]);
      expect(Buffer.byteLength(html)).toBeLessThanOrEqual(MAX_BYTES);
    });

    it('has no dead links', async () => {
      const path = paths.get(name) as string;
      const hrefs = [...(await site.html(path)).matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, href]) =>
        String(href).replaceAll('&amp;', '&'),
      );
      const urls = hrefs.map((href) => new URL(href, site.url + path)).filter(({ origin }) => origin === site.url);
      const found = new Set(
        urls.map(({ pathname, search }) => pathname + search).filter((own) => !own.startsWith(path) || path === '/'),
      );
      expect(found.size).toBeGreaterThan(3);
      for (const own of found) {
        if (reached.has(own)) continue;
        reached.add(own);
        const { status } = await site.send(own, { headers: { Accept: 'text/html, */*;q=0.8' } });
        expect([own, status]).toEqual([own, 200]);
      }
    });
  });

  it('prints the values of an asset without navigation and forms', async () => {
    const page = await site.open(paths.get('items') as string);
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    expect(await brightnessOf(page, 'color')).toBeLessThan(100);
    expect(await page.getByRole('article').innerText()).toContain('1,250,000.50 UAH');
    expect(await page.locator('#language').isVisible()).toBe(false);
    await site.open('/');
    expect(await page.getByRole('search').isVisible()).toBe(false);
    expect(await page.locator('#assets li').first().isVisible()).toBe(true);
    expect(await site.leave()).toEqual([]);
  });
});

function widthOf(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth');
}

/** Brightness of the background or the text, from 0 to 255. */
async function brightnessOf(page: Page, what: 'backgroundColor' | 'color' = 'backgroundColor'): Promise<number> {
  const colour = await page.evaluate<string>(`getComputedStyle(document.body).${what}`);
  const [red, green, blue] = (colour.match(/\d+/g) ?? []).map(Number) as [number, number, number];
  return (red + green + blue) / 3;
}
