import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { createIn, type Owned } from '../../support/assets.js';
import { databases, type TestDatabaseKind } from '../../support/databases.js';
import { Site } from '../../support/site.js';

const [sqlite] = databases as [TestDatabaseKind];

describe('the language of the pages in a browser', () => {
  let site: Site;
  let asset: Owned['asset'];

  beforeAll(async () => {
    site = await Site.start(sqlite);
    ({ asset } = await createIn(site, 'active'));
    await site.indexed();
  });
  afterAll(() => site?.stop());
  afterEach(async () => expect(await site.leave()).toEqual([]));

  const languageOf = (page: Page): Promise<string | null> => page.locator('html').getAttribute('lang');

  it('is switched by a link that names itself in its own language, and kept by all links from there', async () => {
    const page = await site.open(`/assets/${asset.assetID}`);
    await page.locator('#language').getByText('Українська').click();
    expect([await languageOf(page), new URL(page.url()).pathname]).toEqual(['uk', `/assets/${asset.assetID}`]);
    expect(await page.locator('#language [aria-current]').innerText()).toBe('Українська');
    await page.getByRole('banner').getByRole('link', { name: 'Реєстр майна' }).click();
    expect(await languageOf(page)).toBe('uk');
    await page.getByRole('searchbox').fill('космодром');
    await page.getByRole('button', { name: 'Знайти' }).click();
    expect(await languageOf(page)).toBe('uk');
    await page.locator('#assets a').first().click();
    expect([await languageOf(page), new URL(page.url()).pathname]).toEqual(['uk', `/assets/${asset.assetID}`]);
    await page.locator('#language').getByText('English').click();
    expect(await languageOf(page)).toBe('en');
  });

  it('has a name in every element that is in another one', async () => {
    const page = await site.open('/?lang=uk');
    const other = page.locator('#language a', { hasText: 'English' });
    expect([await other.getAttribute('lang'), await other.getAttribute('hreflang')]).toEqual(['en', 'en']);
  });
});
