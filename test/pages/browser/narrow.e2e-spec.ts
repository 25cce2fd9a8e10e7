import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import compound from '../../../src/asset-types/compound/compound.example.json' with { type: 'json' };
import { ASSETS, change, changeAs, createFrom, LOT, type Owned, publish } from '../../support/assets.js';
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
const LARGE = { value: { currency: 'UAH', amount: 29_276_389_093.2 } };

/** Texts that are cut off or outside of the page. */
const CUT_OFF = `(selector) => [...document.querySelectorAll(selector)]
  .filter((one) => one.scrollWidth > one.clientWidth || one.getBoundingClientRect().right > innerWidth)
  .map(({ textContent }) => textContent)`;

/** Texts of more than one line. The currency of an amount may stand below it, and a large amount needs 390 pixels. */
const BROKEN = `(selector) => [...document.querySelectorAll(selector)]
  .filter((one) => {
    const range = document.createRange();
    range.selectNodeContents(one);
    const amount = one.querySelector('data')?.firstChild;
    if (amount) range.setEnd(amount, amount.data.lastIndexOf(' '));
    if (amount) range.setStart(amount, 0);
    const lines = new Set([...range.getClientRects()].map(({ bottom }) => Math.round(bottom)));
    return lines.size > (amount && innerWidth < 390 ? 2 : 1);
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
    for (const currency of ['USD', 'EUR']) await publish(site, { value: { currency, amount: 1 } });
    mill = await createFrom(site, compound);
    await change(site, mill, { status: 'pending' });
    await change(site, mill, LARGE);
    await changeAs(site, 'concierge', mill.id, { status: 'active', relatedLot: LOT });
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
  const broken = (page: Page, selector: string): Promise<string[]> =>
    page.evaluate<string[]>(`(${BROKEN})(${JSON.stringify(selector)})`);

  it.each(ON_PHONES)(
    'the statistics have every label and number whole, $width pixels wide ($lang)',
    async ({ width, lang }) => {
      const page = await look(width, `/statistics?lang=${lang}`);
      expect(await page.locator('.bars th').count()).toBeGreaterThan(60);
      expect(await cutOff(page, '.bars th, .bars td, .bars a')).toEqual([]);
      expect(await broken(page, '.bars td, .bars thead th')).toEqual([]);
      const bar = page.getByRole('link', { name: 'Автономна Республіка Крим і місто Севастополь' });
      expect(await bar.locator('rect').first().boundingBox()).toMatchObject({ height: 8 });
    },
  );

  it.each(WIDTHS)('the button of the conditions has its word in one line, %i pixels wide', async (width) => {
    const page = await look(width, '/?lang=uk');
    await page.locator('summary').click();
    expect(await broken(page, 'button')).toEqual([]);
  });

  it.each(ON_PHONES)('a past state has the names of states whole, $width pixels wide ($lang)', async (view) => {
    const { data } = (await site.send(`${ASSETS}/${mill.id}/history`)).json;
    const [published] = data;
    const at = encodeURIComponent(published.dateModified);
    const page = await look(view.width, `/assets/${mill.asset.assetID}?at=${at}&lang=${view.lang}`);
    expect(await page.locator('.differences td').count()).toBeGreaterThan(3);
    expect(await broken(page, '.differences :is(thead, tr:first-child) :is(th, td)')).toEqual([]);
  });

  it('a list by price names other currencies in one line, if it is wide enough', async () => {
    const page = await look(TABLET.width, '/?sort=value&status=any-state&lang=uk');
    expect(await page.locator('#others a').count()).toBe(2);
    expect(await broken(page, '#others')).toEqual([]);
  });

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
