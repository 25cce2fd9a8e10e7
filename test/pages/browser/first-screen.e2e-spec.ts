import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import compound from '../../../src/asset-types/compound/compound.example.json' with { type: 'json' };
import { change, createFrom, publish } from '../../support/assets.js';
import { click } from '../../support/browser.js';
import { databases, type TestDatabaseKind } from '../../support/databases.js';
import { Site } from '../../support/site.js';

const [sqlite] = databases as [TestDatabaseKind];

const DESKTOP = { width: 1280, height: 720 };
const PHONE = { width: 390, height: 844 };
const LONG_TITLE = 'Земельна ділянка для ведення товарного сільськогосподарського виробництва, 31,1014 га, м. Київ';
const QUERIES = ['', 'q=ділянка&status=available-now', 'q=ділянка&status=pending&assetType=basic&valueTo=1000000'];
const VIEWS = [DESKTOP, PHONE].flatMap((viewport) =>
  ['uk', 'en'].flatMap((lang) => QUERIES.map((query) => ({ ...viewport, lang, query }))),
);

describe('the first screen of the list', () => {
  let site: Site;

  beforeAll(async () => {
    site = await Site.start(sqlite);
    const mill = await createFrom(site, compound);
    await change(site, mill, { status: 'pending' });
    for (let i = 0; i < 3; i++) await publish(site, { title: LONG_TITLE });
    await site.indexed();
  });
  afterAll(() => site?.stop());
  afterEach(async () => expect(await site.leave()).toEqual([]));

  const look = async (viewport: typeof DESKTOP, path: string): Promise<Page> => {
    const { page } = await site.visit({ viewport });
    await page.goto(path);
    return page;
  };

  it.each(VIEWS)(
    'has the first asset, $width pixels wide ($lang, "$query")',
    async ({ width, height, lang, query }) => {
      const page = await look({ width, height }, `/?${query}&lang=${lang}`);
      const card = page.locator('#assets li').first();
      const [title, price] = [await card.locator('h2').boundingBox(), await card.locator('.money').boundingBox()];
      for (const box of [title, price]) {
        expect(box?.y).toBeGreaterThan(0);
        expect((box?.y ?? height) + (box?.height ?? height)).toBeLessThan(height);
      }
    },
  );

  it('has the conditions in an open column next to the list on a wide screen', async () => {
    const page = await look(DESKTOP, '/');
    const [region, list] = [page.getByLabel('Region'), page.locator('#assets')];
    expect(await region.isVisible()).toBe(true);
    expect(await page.locator('summary').isVisible()).toBe(false);
    const [column, results] = [await region.boundingBox(), await list.boundingBox()];
    expect((column?.x ?? 0) + (column?.width ?? 0)).toBeLessThan(results?.x ?? 0);
    await page.getByLabel('Price to').fill('1');
    await click(page.getByRole('button', { name: 'Apply' }));
    expect(await page.locator('#hits').innerText()).toBe('Found: 0');
  });

  it('has them folded on a phone, and unfolds them without a script', async () => {
    const page = await look(PHONE, '/');
    expect(await page.getByLabel('Region').isVisible()).toBe(false);
    await page.locator('summary').click();
    expect(await page.getByLabel('Region').isVisible()).toBe(true);
    expect(await page.locator('#facets').isVisible()).toBe(true);
  });
});
