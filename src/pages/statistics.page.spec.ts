import { describe, expect, it } from '@jest/globals';
import { AssetTypes } from '../asset-types/asset-types.js';
import * as installed from '../asset-types/installed.js';
import { Query } from '../http/request-target.js';
import { lastDays, lastMonths } from '../search/calendar.js';
import type { Counted, Statistics } from '../search/statistics.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import { StatisticsPages } from './statistics-pages.js';
import { ShownTimes } from './times.js';
import type { PageContext } from './page-context.js';

const MAX_BYTES = 30_000;
const time = new RegistryTime('Europe/Kyiv');
const times = new ShownTimes(time, time.timeZone);
const types = new AssetTypes(Object.values(installed));
const context: PageContext = {
  language: 'uk',
  hasChosen: true,
  base: '',
  root: '',
  path: '/statistics',
  query: new Query([]),
  hasSearch: true,
  publisher: {},
};
const changes = { created: 1_234_567, changed: 7_654_321 };

const counted: Counted = {
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

async function shown(more: Partial<Counted> = {}, language: 'uk' | 'en' = 'uk'): Promise<string> {
  const read = (): Promise<Counted> => Promise.resolve({ ...counted, ...more });
  return (
    await new StatisticsPages({ read } as unknown as Statistics, types, times).show(
      { ...context, language },
      { isGone: () => false, worked: () => {} },
    )
  ).toString();
}

describe('the page of the statistics', () => {
  it('has no link to what the search refuses: a type that is not installed any more, and its states', async () => {
    const page = await shown({ assetType: [['gone', 4]], status: [['inspection', 4]] });
    for (const name of ['gone', 'inspection']) {
      expect(page).toMatch(new RegExp(`<th scope="row">${name}<svg[^>]*><rect width="100%"`));
      expect(page).not.toContain(`=${name}`);
    }
  });

  it('leads from each bar to the search for what it counts', async () => {
    const links = [...(await shown()).matchAll(/<th scope="row"><a href="([^"]*)"/g)].map(([, href]) =>
      decodeURIComponent(String(href)).replaceAll('&amp;', '&').replace('&lang=uk', ''),
    );
    expect(links).toHaveLength(2 + 1 + 1 + 1 + 30 + 24);
    expect(links.slice(0, 7)).toEqual([
      '/?status=pending',
      '/?status=verification',
      '/?assetType=basic',
      '/?region=Київська область',
      '/?currency=UAH',
      '/?modifiedFrom=2026-12-31&modifiedTo=2027-01-01',
      '/?modifiedFrom=2026-12-30&modifiedTo=2026-12-31',
    ]);
    expect(links.at(35)).toBe('/?modifiedFrom=2026-12-01&modifiedTo=2027-01-01');
    expect(links.at(-1)).toBe('/?modifiedFrom=2025-01-01&modifiedTo=2025-02-01');
  });

  it('leads from the total to everything, and prints counts as people read them', async () => {
    const page = await shown({}, 'en');
    expect(page).toMatch(/<a href="\/\?status=any-state&amp;lang=en"\s*>9,999,999</);
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
    const region = Array.from({ length: 500 }, (_, i) => [`${i} ${hostile[i % hostile.length]}`, 1_000_000] as const);
    const html = await shown({ region, value: [] });
    expect(Buffer.byteLength(html)).toBeLessThan(MAX_BYTES);
    expect(html).not.toContain('<script');
    expect(html).toContain('решта у JSON');
    const regions = lastDays('2026-12-31', 27).map((day) => [`Львівська ${day}`, 1] as const);
    const whole = await shown({ region: regions });
    expect(Buffer.byteLength(whole)).toBeLessThan(MAX_BYTES);
    for (const [name] of regions) expect(whole).toContain(`>${name}<svg`);
  });
});
