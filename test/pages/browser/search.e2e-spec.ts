import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import compound from '../../../src/asset-types/compound/compound.example.json' with { type: 'json' };
import { change, createFrom, createIn, type JsonObject, type Owned, publish } from '../../support/assets.js';
import { click } from '../../support/browser.js';
import { databases, type TestDatabaseKind } from '../../support/databases.js';
import { Site } from '../../support/site.js';

const [sqlite] = databases as [TestDatabaseKind];

const address = (region: string): JsonObject => ({ countryName: 'Україна', region, locality: 'Місто' });
const custodian = (id: string): JsonObject => ({
  name: `Установа ${id}`,
  identifier: { scheme: 'UA-EDR', id },
  contactPoint: { name: 'Відділ', telephone: '+380440000000' },
});

describe('searching in a browser', () => {
  let site: Site;
  let field: Owned;
  let house: Owned;
  let deleted: Owned;
  let mill: Owned;

  beforeAll(async () => {
    site = await Site.start(sqlite);
    field = await publish(site, { title: 'Поле біля річки', address: address('Одеська область') });
    house = await publish(site, {
      title: 'Будинок біля поля',
      address: address('Львівська область'),
      assetCustodian: custodian('12345678'),
    });
    deleted = await createIn(site, 'deleted');
    mill = await createFrom(site, compound);
    await change(site, mill, { status: 'pending' });
    await site.indexed();
  });
  afterAll(() => site?.stop());
  afterEach(async () => expect(await site.leave()).toEqual([]));

  const assetId = ({ asset }: Owned): string => asset.assetID;
  /** Asset IDs, in the order of the list. */
  const found = async (page: Page): Promise<string[]> => {
    const links = await page.locator('#assets h2 a').evaluateAll((all) => all.map((link) => link.getAttribute('href')));
    return links.map((href) => String(href).replace(/^\/assets\/|\?.*$/g, ''));
  };
  const searchFor = async (text: string): Promise<Page> => {
    await site.indexed();
    const page = await site.open('/');
    await page.getByRole('searchbox').fill(text);
    await click(page.getByRole('button', { name: 'Search' }));
    return page;
  };

  it.each<[string, () => string, () => Owned[]]>([
    ['the asset ID', () => assetId(field), () => [field]],
    ['the beginning of words', () => 'будин', () => [house]],
    ['the code of the custodian', () => '12345678', () => [house]],
    ['nothing that there is', () => 'космос', () => []],
  ])('finds by %s', async (_, text, expected) => {
    const page = await searchFor(text());
    expect(await found(page)).toEqual(expected().map(assetId));
    expect(await page.getByRole('searchbox').inputValue()).toBe(text());
  });

  it('finds by state, by type and by region, and shows what was chosen', async () => {
    const page = await site.open('/');
    await page.getByLabel('State').selectOption({ label: 'Deleted' });
    await click(page.getByRole('button', { name: 'Search' }));
    expect(await found(page)).toEqual([assetId(deleted)]);
    expect(await page.getByLabel('State').inputValue()).toBe('deleted');
    await click(page.getByRole('link', { name: 'Reset' }));
    expect(await found(page)).toHaveLength(3);
    await click(page.getByRole('link', { name: 'Everything: 4' }));
    expect(await found(page)).toHaveLength(4);
    await click(page.locator('#facets').getByRole('link', { name: 'Deleted 1' }));
    expect(await found(page)).toEqual([assetId(deleted)]);
    await click(page.getByRole('link', { name: 'Reset' }));
    await page.getByLabel('Type').selectOption('compound');
    await click(page.getByRole('button', { name: 'Search' }));
    expect(await found(page)).toEqual([assetId(mill)]);
    await click(page.getByRole('link', { name: 'Reset' }));
    await page.getByLabel('Region').fill('Одеська область');
    await click(page.getByRole('button', { name: 'Search' }));
    expect(await found(page)).toEqual([assetId(field)]);
  });

  it('finds by a price, dearest first, without a word of a currency', async () => {
    const [cheap, dear] = [
      await publish(site, { title: 'Комора', value: { currency: 'UAH', amount: 7_100 } }),
      await publish(site, { title: 'Палац', value: { currency: 'UAH', amount: 7_900 } }),
    ];
    await site.indexed();
    const page = await site.open('/');
    await page.getByLabel('Price from').fill('7 000,50');
    await page.getByLabel('Price to').fill('7900');
    await page.getByLabel('Order').selectOption({ label: 'Most expensive first' });
    await click(page.getByRole('button', { name: 'Search' }));
    expect(await found(page)).toEqual([dear, cheap].map(assetId));
    expect(await page.getByLabel('Currency').inputValue()).toBe('UAH');
  });
});
