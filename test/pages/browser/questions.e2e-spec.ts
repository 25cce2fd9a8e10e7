import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { change, changeAs, type JsonObject, LOT, type Owned, publish } from '../../support/assets.js';
import { databases, type TestDatabaseKind } from '../../support/databases.js';
import { Site } from '../../support/site.js';
import { dayBefore, moveBack, Visitor } from '../../support/visitor.js';

const [sqlite] = databases as [TestDatabaseKind];

const MAX_CLICKS = 2;
const DAY_MS = 24 * 60 * 60 * 1_000;
const CITY_COUNCIL = '04057350';

const hryvnias = (amount: number): JsonObject => ({ value: { currency: 'UAH', amount } });
const at = (region: string, locality: string): JsonObject => ({
  address: { countryName: 'Україна', region, locality },
});
const kind = (scheme: string, id: string, description: string): JsonObject => ({
  classification: { scheme, id, description },
});
const KYIV = at('м. Київ', 'м. Київ');
const LVIV = at('Львівська область', 'м. Львів');
const UMAN = at('Черкаська область', 'м. Умань');
const LAND = kind('CAV', '06000000-2', 'Земельні ділянки');
const BUILDING = kind('CAV', '04000000-8', 'Нерухоме майно');
const VEHICLE = kind('CPV', '34110000-1', 'Легкові автомобілі');
const council: JsonObject = {
  assetCustodian: {
    name: 'Уманська міська рада',
    identifier: { scheme: 'UA-EDR', id: CITY_COUNCIL },
    contactPoint: { name: 'Відділ майна', telephone: '+380474430000' },
  },
};

/** Listed in docs/testing.md; more are in more-questions.e2e-spec.ts. */
describe('questions of a visitor, each answered from the first page in at most two clicks', () => {
  let site: Site;
  let page: Page;
  let visitor: Visitor;
  let car: Owned;

  beforeAll(async () => {
    site = await Site.start(sqlite);
    car = await publish(site, { title: 'Skoda Octavia', ...VEHICLE, ...LVIV, ...hryvnias(90_000) });
    await publish(site, { title: 'Гараж у Києві', ...BUILDING, ...KYIV, ...hryvnias(70_000) });
    await moveBack(site, 40);
    await publish(site, { title: 'Корпус лікарні', ...BUILDING, ...UMAN, ...council, ...hryvnias(2_500_000) });
    await publish(site, { title: 'Стара школа', ...BUILDING, ...UMAN, ...council, ...hryvnias(1_200_000) });
    await publish(site, { title: 'Лікарня', ...BUILDING, ...LVIV, ...hryvnias(3_000_000) });
    await publish(site, { title: 'Renault Kangoo', ...VEHICLE, ...LVIV, ...hryvnias(120_000) });
    await publish(site, { title: 'Daewoo Lanos', ...VEHICLE, ...KYIV, ...hryvnias(30_000) });
    await publish(site, { title: 'Поле під Уманню', ...LAND, ...UMAN, ...hryvnias(8_000) });
    await publish(site, { title: 'Садок', ...LAND, ...LVIV, ...hryvnias(15_000) });
    const sold = await publish(site, { title: 'Продана ділянка', ...LAND, ...LVIV, ...hryvnias(5_000) });
    await changeAs(site, 'concierge', sold.id, { status: 'active', relatedLot: LOT });
    await changeAs(site, 'concierge', sold.id, { status: 'complete' });
    await change(site, car, { title: 'Skoda Octavia 2012', ...hryvnias(45_000) });
    await site.indexed();
  });
  afterAll(() => site?.stop());
  beforeEach(async () => {
    page = await site.open('/');
    visitor = new Visitor(page);
  });
  afterEach(async () => {
    visitor.expectClicks(MAX_CLICKS);
    expect(await site.leave()).toEqual([]);
  });

  it('is there a hospital building in Uman?', async () => {
    await visitor.find('лікарня Умань');
    expect(await visitor.found()).toEqual(['Корпус лікарні']);
  });

  it('which vehicles under 50,000 UAH are there in Lviv region?', async () => {
    await visitor.fill('Classification', 'CPV:34');
    await visitor.choose('Region', 'Lviv region');
    await visitor.fill('Price to', '50 000');
    await visitor.search();
    expect(await visitor.found()).toEqual(['Skoda Octavia 2012']);
  });

  it('what did this asset cost a month ago?', async () => {
    await visitor.find(car.asset.assetID);
    await visitor.follow('Skoda Octavia 2012');
    // The price that it had until the newest change, and since when.
    const earlier = page.locator('#timeline li').nth(1).getByRole('link');
    const since = Date.parse(String(await earlier.locator('time').getAttribute('datetime')));
    expect(since).toBeLessThan(Date.now() - 30 * DAY_MS);
    await visitor.click(earlier);
    expect(await page.locator('#key data.money').innerText()).toBe('90,000.00 UAH');
  });

  it('how many assets has this custodian, and which?', async () => {
    await visitor.follow('Стара школа');
    await visitor.follow('All assets of this custodian');
    expect(await visitor.hits()).toBe('Found: 2');
    expect(await visitor.found()).toEqual(['Стара школа', 'Корпус лікарні']);
    expect(await page.locator('#custodian').inputValue()).toBe(CITY_COUNCIL);
  });

  it('what is new in Kyiv since yesterday?', async () => {
    await visitor.choose('Region', 'Kyiv');
    await visitor.fill('Changed since', dayBefore(1));
    await visitor.search();
    expect(await visitor.found()).toEqual(['Daewoo Lanos']);
  });

  it('which were sold, as a table?', async () => {
    await visitor.follow('Sold');
    expect(await visitor.found()).toEqual(['Продана ділянка']);
    const table = await visitor.save('CSV');
    const [head, ...lines] = (await readFile(await table.path(), 'utf8')).trim().split(/\r?\n/);
    expect(head).toContain('assetID');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('Продана ділянка');
  });

  it('which land plot is the cheapest?', async () => {
    await visitor.find('земельна ділянка');
    await visitor.follow('cheapest');
    expect(await visitor.found()).toEqual(['Поле під Уманню', 'Садок']);
    expect(await page.locator('#assets li').first().innerText()).toContain('8,000.00 UAH');
  });

  it('what else does this broker offer?', async () => {
    await visitor.follow('Садок');
    await visitor.follow('All assets of this broker');
    expect(await visitor.hits()).toBe('Found: 10');
    expect(await visitor.textOf('#offers')).toContain('Available now: 9');
  });

  it('what was changed last in this asset, from what to what?', async () => {
    await visitor.follow('Skoda Octavia 2012');
    const newest = page.locator('#timeline li').first();
    expect(await newest.locator('.change').allInnerTexts()).toEqual([
      'Title: Skoda Octavia → Skoda Octavia 2012',
      expect.stringMatching(/^Value.*: 90,000.00 UAH.* → 45,000.00 UAH/),
    ]);
  });

  it('how many are available in each region?', async () => {
    const regions = page.locator('#facets ul').last().getByRole('link');
    const named = (await regions.allInnerTexts()).map((name) => name.replaceAll(/\s+/g, ' '));
    expect(named).toEqual(['Lviv region 4', 'Cherkasy region 3', 'Kyiv 2']);
    // In the statistics of the list each is a bar that leads back to what is available there.
    await visitor.follow('Statistics of this list');
    expect(await visitor.rowsOf(/By region/)).toContain('Lviv region 4');
    await visitor.click(page.getByRole('table', { name: 'By region' }).getByRole('link', { name: 'Lviv region' }));
    expect(await visitor.hits()).toBe('Found: 4');
    expect(await page.locator('#offers').innerText()).toContain('Available now: 4');
  });

  it('how many of all assets are in each region, and what are they worth?', async () => {
    await visitor.click(page.getByRole('link', { name: 'Statistics', exact: true }));
    expect(await visitor.rowsOf(/By region/)).toContain('Lviv region 5');
    expect(await visitor.rowsOf(/By region/)).toContain('Luhansk region 0');
    const [value] = (await visitor.rowsOf(/by currency/)).filter((row) => row.startsWith('UAH'));
    expect(value).toMatch(/^UAH \d+ [\d,]+\.\d\d UAH [\d,]+\.\d\d UAH$/);
  });

  it('how many of the hospitals on offer were changed this month?', async () => {
    await visitor.find('лікарня');
    await visitor.follow('Statistics of this list');
    expect(await page.locator('#search').innerText()).toBe('Search: лікарня, Available now');
    const newest = page.getByRole('table', { name: 'By the month' }).getByRole('row').nth(1);
    // The number itself is clicked: its whole row leads there.
    visitor.clicks += 1;
    await newest.getByRole('cell').first().click({ force: true });
    await page.waitForURL('**/?*');
    expect(await visitor.hits()).toBe(`Found: ${await page.locator('#assets > li').count()}`);
    expect(new URL(page.url()).searchParams.get('q')).toBe('лікарня');
    expect(new URL(page.url()).searchParams.get('modifiedFrom')).toMatch(/^\d{4}-\d{2}-01$/);
  });
});
