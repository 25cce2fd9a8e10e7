import { expect, it } from '@jest/globals';
import type { ListedByMonth } from '../feed/reading/listed-by-month.js';
import type { PageContext } from './page-context.js';
import { Sitemap } from './sitemap.js';
import type { ShownTimes } from './times.js';

const context = { base: 'https://registry.example', hasSearch: true } as PageContext;
const times = { print: String } as unknown as ShownTimes;

it('has a part for each ten thousand assets of a month, which begins where the one before it ends', async () => {
  const asked: object[] = [];
  const listed: Pick<ListedByMonth, 'months' | 'assets'> = {
    months: () =>
      Promise.resolve([10_000, 10_001, 30_000].map((count, i) => ({ month: `2026-0${i + 1}`, count, lastUs: i }))),
    assets: (month, range) => {
      asked.push({ month, ...range });
      return Promise.resolve([{ assetId: 'UA-1', status: 'pending', changedUs: 7 }]);
    },
  };
  const sitemap = new Sitemap(listed as ListedByMonth, times);
  const parts = [...(await sitemap.index(context)).matchAll(/part=([^<]*)/g)].map(([, part]) => part);
  expect(parts).toEqual(['pages', '2026-01', '2026-02', '2026-02.2', '2026-03', '2026-03.2', '2026-03.3']);
  const caller = { isGone: () => false };
  expect(await sitemap.part('2026-03.3', context, caller)).toContain('<loc>https://registry.example/assets/UA-1</loc>');
  expect(asked).toEqual([{ month: '2026-03', skip: 20_000, limit: 10_000 }]);
});
