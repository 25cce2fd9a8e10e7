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

  it.each([
    ['uk-UA', 'uk', 'Доступно зараз'],
    ['en-GB', 'en', 'Available now'],
    ['de-DE', 'uk', 'Доступно зараз'],
  ])('is for a browser in %s: %s', async (locale, language, heading) => {
    const visit = await site.visit({ locale });
    await visit.goTo('/');
    const { page } = visit;
    expect(await languageOf(page)).toBe(language);
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe(heading);
  });

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

  it.each([
    ['uk', ['У лоті', 'Вартість', 'з урахуванням ПДВ', 'Класифікація'], ['Active', 'Value', 'VAT']],
    ['en', ['Active', 'Value', 'VAT included', 'Classification'], ['Вартість', 'Класифікація']],
  ])('%s: labels come from the type, in one language', async (lang, has, hasNot) => {
    const page = await site.open(`/assets/${asset.assetID}?lang=${lang}`);
    const labels = await page.getByRole('article').innerText();
    for (const label of has) expect(labels).toContain(label);
    for (const label of hasNot) expect(labels).not.toContain(label);
  });

  it('has a name in every element that is in another one', async () => {
    const page = await site.open('/?lang=uk');
    const other = page.locator('#language a', { hasText: 'English' });
    expect([await other.getAttribute('lang'), await other.getAttribute('hreflang')]).toEqual(['en', 'en']);
  });

  it('is written in numbers and times as well', async () => {
    const shown: string[] = [];
    for (const lang of ['uk', 'en']) {
      const page = await site.open(`/assets/${asset.assetID}?lang=${lang}`);
      shown.push(
        await page.locator('.money').first().innerText(),
        await page.locator('#timeline time').first().innerText(),
      );
    }
    expect(shown).toEqual([
      '100,00 UAH',
      expect.stringMatching(/[а-яґєії]/),
      '100.00 UAH',
      expect.not.stringMatching(/[а-яґєії]/),
    ]);
  });
});
