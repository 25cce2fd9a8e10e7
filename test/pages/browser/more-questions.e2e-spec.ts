import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newLogKey } from '../../../src/log/log-keys.js';
import { change, changeAs, type JsonObject, LOT, type Owned, publish } from '../../support/assets.js';
import { databases, type TestDatabaseKind } from '../../support/databases.js';
import { Site } from '../../support/site.js';
import { dayBefore, moveBack, Visitor } from '../../support/visitor.js';

const [sqlite] = databases as [TestDatabaseKind];

const MAX_CLICKS = 2;
const PHONE = { width: 390, height: 844 };
const DESK = { width: 1280, height: 720 };
const SETTINGS = {
  LOT_URL: 'https://lots.example/{id}',
  LOG_KEY: newLogKey('registry.example/log'),
  PUBLISHER_NAME: 'Агенція з управління майном громади',
  LICENCE: 'https://creativecommons.org/licenses/by/4.0/',
};

const worth = (amount: number, currency = 'UAH'): JsonObject => ({ value: { currency, amount } });
const at = (region: string): JsonObject => ({ address: { countryName: 'Україна', region } });
const kind = (scheme: string, id: string, description: string): JsonObject => ({
  classification: { scheme, id, description },
});
const LVIV = at('Львівська область');
const POLTAVA = at('Полтавська область');
const LAND = kind('CAV', '06000000-2', 'Земельні ділянки');
const VEHICLE = kind('CPV', '34110000-1', 'Легкові автомобілі');
const CLAIM = kind('CAV', '07110000-4', 'Права вимоги за кредитними договорами');

/** Listed in docs/testing.md. */
describe('more questions of a visitor, each answered from the first page in at most two clicks', () => {
  let site: Site;
  let visitor: Visitor;
  let car: Owned;

  beforeAll(async () => {
    site = await Site.start(sqlite, SETTINGS);
    car = await publish(site, { title: 'Skoda Octavia', ...VEHICLE, ...LVIV, ...worth(90_000) });
    await sell('Продана ділянка', LVIV, 5_000);
    await sell('Проданий садок', LVIV, 7_000);
    await sell('Проданий город', POLTAVA, 9_000);
    await moveBack(site, 40);
    await sell('Щойно продана ділянка', LVIV, 11_000);
    await publish(site, { title: 'Поле', ...LAND, ...LVIV, ...worth(8_000) });
    await publish(site, { title: 'Лука', ...LAND, ...POLTAVA, ...worth(15_000) });
    await publish(site, { title: 'Renault Kangoo', ...VEHICLE, ...LVIV, ...worth(120_000) });
    await publish(site, { title: 'Право вимоги 1', ...CLAIM, ...worth(1_000, 'USD') });
    await publish(site, { title: 'Право вимоги 2', ...CLAIM, ...worth(2_500, 'USD') });
    await publish(site, { title: 'Право вимоги 3', ...CLAIM, ...worth(3_000) });
    await inLot('Гараж', POLTAVA, 70_000);
    await change(site, car, { title: 'Skoda Octavia 2012', ...worth(45_000) });
    await site.indexed();
  });
  afterAll(() => site?.stop());
  afterEach(async () => {
    visitor.expectClicks(MAX_CLICKS);
    expect(await site.leave()).toEqual([]);
  });

  async function inLot(title: string, location: JsonObject, amount: number): Promise<Owned> {
    const owned = await publish(site, { title, ...LAND, ...location, ...worth(amount) });
    await changeAs(site, 'concierge', owned.id, { status: 'active', relatedLot: LOT });
    return owned;
  }
  async function sell(title: string, location: JsonObject, amount: number): Promise<void> {
    const { id } = await inLot(title, location, amount);
    await changeAs(site, 'concierge', id, { status: 'complete' });
  }

  describe('on a phone, in Ukrainian', () => {
    beforeEach(async () => {
      const visit = await site.visit({ viewport: PHONE, locale: 'uk-UA' });
      await visit.goTo('/');
      visitor = new Visitor(visit.page, 'Знайти');
    });

    it('скільки ділянок пропонують у кожній області, на діаграмі?', async () => {
      await visitor.find('земельні ділянки');
      await visitor.follow('Статистика переліку');
      expect((await visitor.rowsOf('За областю')).slice(1, 3)).toEqual(['Полтавська область 2', 'Львівська область 1']);
      const bars = visitor.page.getByRole('table', { name: 'За областю' }).locator('meter, svg, .bar, [style]');
      expect(await bars.count()).toBeGreaterThan(0);
    });

    it('чи знижували ціну цього автомобіля, і коли?', async () => {
      await visitor.openAsset(car);
      expect(await visitor.textOf('#lowered')).toMatch(/^Знижено з 90 000,00 UAH, \d{1,2} \p{L}+ \d{4} р\.$/u);
    });

    it('яким був цей обʼєкт місяць тому?', async () => {
      await visitor.openAsset(car);
      await visitor.fill('Яким був обʼєкт на дату', dayBefore(30));
      await visitor.click(visitor.page.getByRole('button', { name: 'Показати' }));
      expect(await visitor.textOf('h1')).toBe('Skoda Octavia');
      expect(await visitor.textOf('#key data.money')).toBe('90 000,00 UAH');
    });

    it('хто це публікує і на яких умовах можна використати?', async () => {
      await visitor.follow('Про реєстр');
      expect(await visitor.textOf('main')).toContain(`Розпорядник ${SETTINGS.PUBLISHER_NAME}`);
      expect(await visitor.page.locator('main').getByRole('link', { name: 'creativecommons.org' }).count()).toBe(1);
    });

    it('чим доведено, що цей запис не змінили?', async () => {
      await visitor.openAsset(car);
      const proof = await visitor.save('Доказ');
      expect(await readFile(await proof.path(), 'utf8')).toMatch(/^c2sp\.org\/tlog-proof@v1\n/);
    });
  });

  describe('at a desk, in English', () => {
    beforeEach(async () => {
      const visit = await site.visit({ viewport: DESK, locale: 'en-GB' });
      await visit.goTo('/');
      visitor = new Visitor(visit.page);
    });

    it('which cars are cheaper than 50 thousand, as an Excel file?', async () => {
      await visitor.page.getByRole('searchbox').fill('car');
      await visitor.fill('Price to', '50 тис');
      await visitor.search();
      expect(await visitor.found()).toEqual(['Skoda Octavia 2012']);
      const table = await visitor.save('Excel');
      expect(table.suggestedFilename()).toMatch(/\.xlsx$/);
      expect((await readFile(await table.path())).subarray(0, 2).toString()).toBe('PK');
    });

    it('what was sold in Lviv region last month, and for how much?', async () => {
      await visitor.choose('Region', 'Lviv region');
      await visitor.fill('Changed since', dayBefore(60));
      await visitor.fill('Changed before', dayBefore(20));
      await visitor.search();
      await visitor.follow('Sold');
      expect(await visitor.found()).toEqual(['Проданий садок', 'Продана ділянка']);
      await visitor.follow('Statistics of this list');
      expect(await visitor.rowsOf('Value by currency')).toContain('UAH 2 12,000.00 UAH 6,000.00 UAH');
    });

    it('which assets are in a lot, and where is the lot?', async () => {
      await visitor.follow('In a lot');
      expect(await visitor.found()).toEqual(['Гараж']);
      await visitor.follow('Гараж');
      expect(await visitor.page.locator('#lot a').getAttribute('href')).toBe(`https://lots.example/${LOT}`);
    });

    it('how much are the rights of claim in US dollars?', async () => {
      await visitor.page.getByRole('searchbox').fill('право вимоги');
      await visitor.choose('Currency', 'USD');
      await visitor.search();
      expect(await visitor.hits()).toBe('Found: 2');
      await visitor.follow('Statistics of this list');
      expect(await visitor.rowsOf('Value by currency')).toContain('USD 2 3,500.00 USD 1,750.00 USD');
    });

    it('what changed this week in my region, as a feed?', async () => {
      await visitor.choose('Region', 'Poltava region');
      await visitor.fill('Changed since', dayBefore(7));
      await visitor.search();
      const feed = await visitor.page.getByRole('link', { name: 'Atom', exact: true }).getAttribute('href');
      const { headers, text } = await site.send(String(feed));
      expect(headers.get('content-type')).toContain('application/atom+xml');
      expect([...text.matchAll(/<entry>.*?<title[^>]*>(.*?)<\/title>/gs)].map(([, title]) => title)).toEqual([
        expect.stringContaining('Гараж'),
        expect.stringContaining('Лука'),
      ]);
    });
  });
});
