import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import compound from '../../../src/asset-types/compound/compound.example.json' with { type: 'json' };
import { change, createFrom, type Owned, publish } from '../../support/assets.js';
import { databases, type TestDatabaseKind } from '../../support/databases.js';
import { Site } from '../../support/site.js';

const [sqlite] = databases as [TestDatabaseKind];

const WIDTHS = [390, 320];
const ON_PHONES = [
  { width: 320, lang: 'uk' },
  { width: 390, lang: 'en' },
];
const TABLET = { width: 700, lang: 'uk' };
const LONG_TITLE = `Нежитлові приміщення ${'колишньої районної лікарні '.repeat(12)}у м. Умань`;
const LONG_NAME = `Регіональне відділення ${'Фонду державного майна України '.repeat(8)}у Черкаській області`;
const HEIGHT_OF_LINE = 30;

/** Texts that are cut off or outside of the page. */
const CUT_OFF = `(selector) => [...document.querySelectorAll(selector)]
  .filter((one) => one.scrollWidth > one.clientWidth || one.getBoundingClientRect().right > innerWidth)
  .map(({ textContent }) => textContent)`;

/** Numbers and headings that break at every character. */
const BROKEN = `[...document.querySelectorAll('.bars td, .bars thead th')]
  .filter((one) => {
    const range = document.createRange();
    range.selectNodeContents(one);
    const lines = new Set([...range.getClientRects()].map(({ bottom }) => Math.round(bottom)));
    return lines.size > (one.querySelector('data') ? 3 : 1);
  })
  .map(({ textContent }) => textContent)`;

/** Labels of the values of the first item. */
const LABELS = `[...document.querySelectorAll('.wide-table tbody tr:first-child td')]
  .map((cell) => getComputedStyle(cell, '::before').content.replaceAll('"', ''))`;

describe('on a narrow screen', () => {
  let site: Site;
  let mill: Owned;

  beforeAll(async () => {
    site = await Site.start(sqlite);
    const data = structuredClone(compound.data);
    data.assetCustodian.name = LONG_NAME;
    await publish(site, { title: LONG_TITLE, assetCustodian: data.assetCustodian });
    for (const region of ['Дніпропетровська область', 'Автономна Республіка Крим і місто Севастополь'])
      await publish(site, { address: { countryName: 'Україна', region } });
    mill = await createFrom(site, compound);
    await change(site, mill, { status: 'pending' });
    await site.indexed();
  });
  afterAll(() => site?.stop());
  afterEach(async () => expect(await site.leave()).toEqual([]));

  const look = async (width: number, path: string): Promise<Page> => {
    const { page } = await site.visit({ viewport: { width, height: 800 } });
    await page.goto(path);
    return page;
  };
  const cutOff = (page: Page, selector: string): Promise<string[]> =>
    page.evaluate<string[]>(`(${CUT_OFF})(${JSON.stringify(selector)})`);

  it.each(ON_PHONES)(
    'the statistics have every label and number whole, $width pixels wide ($lang)',
    async ({ width, lang }) => {
      const page = await look(width, `/statistics?lang=${lang}`);
      expect(await page.locator('.bars th').count()).toBeGreaterThan(60);
      expect(await cutOff(page, '.bars th, .bars td, .bars a')).toEqual([]);
      expect(await page.evaluate<string[]>(BROKEN)).toEqual([]);
      const bar = page.getByRole('link', { name: 'Автономна Республіка Крим і місто Севастополь' });
      expect(await bar.locator('rect').first().boundingBox()).toMatchObject({ height: 8 });
    },
  );

  it.each([...ON_PHONES, TABLET])(
    'each item is a list with the labels of its columns, $width pixels wide ($lang)',
    async ({ width, lang }) => {
      const page = await look(width, `/assets/${mill.asset.assetID}?lang=${lang}`);
      const heads = await page.locator('.wide-table th').allTextContents();
      expect(heads.length).toBeGreaterThan(3);
      expect(await cutOff(page, '.wide-table, .wide-table td')).toEqual([]);
      const labels = await page.evaluate<string[]>(LABELS);
      expect(labels).toEqual(heads);
      // One below the other, and still a table for a screen reader.
      const [first, second] = [page.locator('.wide-table td').first(), page.locator('.wide-table td').nth(1)];
      expect((await second.boundingBox())?.y).toBeGreaterThan((await first.boundingBox())?.y as number);
      expect(await page.getByRole('columnheader').count()).toBe(heads.length);
    },
  );

  it.each(WIDTHS)(
    'a long title and a long name are whole in the list, and take a few lines of it, %i pixels wide',
    async (width) => {
      const page = await look(width, '/');
      const [link, name] = [page.getByRole('link', { name: LONG_TITLE }), page.getByText(LONG_NAME)];
      expect((await link.boundingBox())?.height).toBeLessThanOrEqual(3 * HEIGHT_OF_LINE);
      expect((await name.boundingBox())?.height).toBeLessThanOrEqual(2 * HEIGHT_OF_LINE);
      await page.emulateMedia({ media: 'print' });
      expect((await page.getByRole('heading', { name: LONG_TITLE }).boundingBox())?.height).toBeGreaterThan(
        3 * HEIGHT_OF_LINE,
      );
    },
  );
});
