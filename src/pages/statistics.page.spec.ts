import { describe, expect, it } from '@jest/globals';
import { pageContext } from '../../test/support/page-context.js';
import { AssetTypes } from '../asset-types/asset-types.js';
import * as installed from '../asset-types/installed.js';
import type { PageQuery } from './page-query.js';
import { lastDays, lastMonths } from '../search/calendar.js';
import { REGIONS_OF_UKRAINE } from '../search/region-labels.js';
import { EVERYTHING, type SearchQuery } from '../search/search-query.js';
import type { SearchStatistics, Statistics } from '../search/statistics.js';
import { attributes, textOf } from '../../test/support/shown-page.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import { StatisticsPage } from './statistics.page.js';
import { ShownTimes } from './times.js';

const MAX_BYTES = 39_000;
const time = new RegistryTime('Europe/Kyiv');
const times = new ShownTimes(time, time.timeZone);
const types = new AssetTypes(Object.values(installed));
const context = pageContext('uk', '/statistics');
const changes = { created: 1_234_567, changed: 7_654_321 };

const counted: SearchStatistics = {
  indexedUs: 1_795_440_264_030_682,
  isComplete: true,
  total: 9_999_999,
  status: [
    ['pending', 9_000_000],
    ['verification', 999_999],
  ],
  assetType: [['basic', 9_999_999]],
  region: [['Київська область', 5]],
  value: [{ currency: 'UAH', sum: '1234567890123456789.12', count: 7, median: '0.1' }],
  days: lastDays('2026-12-31', 30).map((when) => ({ when, ...changes })),
  months: lastMonths('2026-12-31', 24).map((when) => ({ when, ...changes, value: [] })),
};

const everything: PageQuery = {
  conditions: [],
  query: EVERYTHING,
  isByValue: false,
  isDescending: true,
  isPreset: true,
  isAvailable: false,
  isSearch: false,
  after: undefined,
  isBack: false,
};

/** @param query the conditions as the search reads them */
function searchFor(conditions: PageQuery['conditions'], query: Partial<SearchQuery> = {}): PageQuery {
  return { ...everything, conditions, query: { ...EVERYTHING, ...query }, isPreset: false, isSearch: true };
}

async function shown(
  more: Partial<SearchStatistics> = {},
  language: 'uk' | 'en' = 'uk',
  search = everything,
): Promise<string> {
  const read = (): Promise<SearchStatistics> => Promise.resolve({ ...counted, ...more });
  const pages = new StatisticsPage({ read } as unknown as Statistics, types, times, time);
  return (await pages.show(search, { ...context, language }, { isGone: () => false, chargeWork: () => {} })).toString();
}

function linksIn(page: string): string[] {
  return [...page.matchAll(/<th scope="row"><a href="([^"]*)"/g)].map(([, href]) =>
    decodeURIComponent(String(href).replaceAll('+', ' ')).replaceAll('&amp;', '&').replace('&lang=uk', ''),
  );
}

describe('the page of the statistics', () => {
  it('has no link to what the search refuses: a type that is no longer installed, and its states', async () => {
    const page = await shown({ assetType: [['gone', 4]], status: [['inspection', 4]] });
    for (const name of ['gone', 'inspection']) {
      expect(page).toMatch(new RegExp(`<th scope="row">${name}<svg[^>]*><rect width="100%"`));
      expect(page).not.toContain(`=${name}`);
    }
  });

  it('leads from each bar to the search for what it counts', async () => {
    const links = linksIn(await shown());
    expect(links).toHaveLength(2 + 1 + 1 + 1 + 30 + 24);
    expect(links.slice(0, 6)).toEqual([
      '/?status=pending',
      '/?status=verification',
      '/?assetType=basic',
      '/?region=Київська область',
      '/?currency=UAH&sort=-value',
      '/?modifiedFrom=2026-12-01&modifiedTo=2027-01-01',
    ]);
    expect(links.at(28)).toBe('/?modifiedFrom=2025-01-01&modifiedTo=2025-02-01');
    expect(links.at(29)).toBe('/?modifiedFrom=2026-12-31&modifiedTo=2027-01-01');
    expect(links.at(-1)).toBe('/?modifiedFrom=2026-12-02&modifiedTo=2026-12-03');
  });

  it('adds what is counted to the conditions of the search, within its bounds of time', async () => {
    const conditions = [
      { name: 'q', value: 'млин' },
      { name: 'region', value: 'Київ обл.' },
      { name: 'modifiedFrom', value: '2026-12-15' },
      { name: 'sort', value: 'dateModified' },
    ];
    const query = { text: 'млин', region: ['Київ обл.'], afterUs: (time.parse('2026-12-15') as number) - 1 };
    const page = await shown(
      { region: [...counted.region, ['Львівська область', 2]] },
      'uk',
      searchFor(conditions, query),
    );
    const links = linksIn(page);
    const rest = 'q=млин&region=Київ обл.';
    expect(links.slice(0, 6)).toEqual([
      `/?${rest}&modifiedFrom=2026-12-15&status=pending`,
      `/?${rest}&modifiedFrom=2026-12-15&status=verification`,
      `/?${rest}&modifiedFrom=2026-12-15&assetType=basic`,
      '/?q=млин&modifiedFrom=2026-12-15&region=Київська область',
      `/?${rest}&modifiedFrom=2026-12-15&currency=UAH&sort=-value`,
      `/?${rest}&modifiedFrom=2026-12-15&modifiedTo=2027-01-01`,
    ]);
    expect(page).toMatch(/<th scope="row">Львівська область<svg/);
    expect(attributes(page, 'href').map((href) => decodeURIComponent(href))).toContain(
      '/api/0.1/statistics?q=млин&region=Київ обл.&modifiedFrom=2026-12-15',
    );
    expect(textOf(page)).toContain('Пошук: млин, Київська область, Змінено з 15 грудня 2026 р.');
  });

  it('calls what is available now by its name', async () => {
    const search = searchFor([{ name: 'status', value: 'available-now' }], { status: ['pending', 'active'] });
    const page = await shown({}, 'uk', { ...search, isAvailable: true });
    expect(linksIn(page)[2]).toBe('/?status=available-now&assetType=basic');
    expect(textOf(page)).toContain('Пошук: Доступно зараз');
    expect(page).toContain('/api/0.1/statistics?status=pending&amp;status=active');
  });

  it('has all regions of Ukraine, those without assets too, and leads to those with some', async () => {
    const page = await shown({}, 'en');
    for (const { en } of REGIONS_OF_UKRAINE) expect(page).toContain(en);
    expect(page).toMatch(/<th scope="row">Lviv region<\/th>\s*<td>0<\/td>/);
  });

  it('draws assets and values by month, with the highest of them in words', async () => {
    const months = counted.months.map((month, i) => ({
      ...month,
      created: i,
      changed: 2 * i,
      value: i % 2 === 0 ? [] : [{ currency: 'UAH', sum: `${i}00.5`, count: 1 }],
    }));
    const page = await shown({ months });
    expect(page).toContain('aria-label="Востаннє змінено, Створено. Найбільше за місяць: 46"');
    expect(page).toContain('aria-label="Сума. Найбільше за місяць: 2\u00a0300,50 UAH"');
    const [assets, , value] = [...page.matchAll(/<polyline class="\w+" points="([^"]*)"/g)].map(([, points]) => points);
    expect(assets).toMatch(/^0\.0,100\.0 4\.3,95\.7 .* 100\.0,0\.0$/);
    expect(value).toMatch(/^0\.0,100\.0 4\.3,95\.6 8\.7,100\.0 .* 100\.0,0\.0$/);
  });

  it('says of no hits that nothing was found, or that the registry is empty, without tables of zeros', async () => {
    const nothing = { total: 0, value: [] };
    const dear = ['valueFrom=50000', 'currency=UAH'].map((one) => one.split('='));
    const found = await shown(nothing, 'en', searchFor(dear.map(([name = '', value = '']) => ({ name, value }))));
    expect(textOf(found)).toMatch(/Search: Price from 50,000\.00 UAH .*Nothing was found\./);
    expect(found).not.toMatch(/<table|<polyline/);
    expect(textOf(await shown(nothing, 'en'))).toContain('The registry is still empty.');
    expect(textOf(await shown({ ...nothing, isComplete: false }, 'en'))).not.toContain('empty');
  });

  it('leads from the total to everything, and prints counts as people read them', async () => {
    const page = await shown({}, 'en');
    expect(page).toMatch(/<a href="\/\?status=any-state&amp;lang=en"\s*>Assets in the list: 9,999,999</);
    expect(page).toMatch(/<td>9,000,000<\/td>/);
    expect(page).toMatch(/<td>1,234,567<\/td>/);
    expect(page).toMatch(/<td>7,654,321<\/td>/);
  });

  it('has each sum in every digit, in the language of the reader', async () => {
    expect(await shown()).toContain('1\u00a0234\u00a0567\u00a0890\u00a0123\u00a0456\u00a0789,12 UAH</data>');
    const english = await shown({}, 'en');
    expect(english).toContain('<data value="1234567890123456789.12">1,234,567,890,123,456,789.12 UAH</data>');
    expect(english).toContain('31 Dec 2026');
    expect(english).toContain('December 2026');
  });

  it('stays small and sound, whatever brokers write', async () => {
    const hostile = [`"><script>alert(1)</script>&'`, '\u202e', '💥'.repeat(100), '<'.repeat(200), 'Ї'.repeat(200)];
    const others = Array.from({ length: 473 }, (_, i) => [`${i} ${hostile[i % hostile.length]}`, 1_000_000] as const);
    const region = [...others, ...REGIONS_OF_UKRAINE.map(({ uk }) => [uk, 1] as const)];
    const currencies = Array.from({ length: 150 }, (_, i) => String.fromCharCode(65 + (i % 26), 65 + (i % 25), 65));
    const value = currencies.map((currency) => ({ currency, sum: '9'.repeat(30), count: 1, median: '9'.repeat(20) }));
    const months = counted.months.map((month) => ({ ...month, value }));
    const text = `<${'Ї'.repeat(198)}>`;
    for (const search of [everything, searchFor([{ name: 'q', value: text }])]) {
      const page = await shown({ region, value, months }, 'uk', search);
      expect(Buffer.byteLength(page)).toBeLessThan(MAX_BYTES);
      expect(page).not.toContain('<script');
      expect(page).not.toContain('<Ї');
      expect(page).toContain('решта у JSON');
      for (const { uk } of REGIONS_OF_UKRAINE) expect(page).toContain(`>${uk}<svg`);
    }
  });
});
