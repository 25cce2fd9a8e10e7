import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { change, type Owned, publish } from '../../support/assets.js';
import { databases } from '../../support/databases.js';
import { Site } from '../../support/site.js';

const PUBLISHED = 60;
const PAGE = 25;
const title = (number: number): string => `Ділянка № ${number}`;
/** Titles from one number down to another. */
const titles = (from: number, to: number): string[] => Array.from({ length: from - to + 1 }, (_, i) => title(from - i));

describe.each(databases)('the list in a browser on $name', (kind) => {
  let site: Site;
  const owned: Owned[] = [];

  beforeAll(async () => {
    site = await Site.start(kind);
    for (let i = 1; i <= PUBLISHED; i++) owned.push(await publish(site, { title: title(i) }));
  });
  afterAll(() => site?.stop());
  afterEach(async () => expect(await site.leave()).toEqual([]));

  const listed = (page: Page): Promise<string[]> => page.locator('#assets li h2').allInnerTexts();

  it('has the newest changes, 25 of them, newest first', async () => {
    const page = await site.open('/');
    expect(await listed(page)).toEqual(titles(PUBLISHED, PUBLISHED - PAGE + 1));
  });

  it('leads to older ones, to the last, and back', async () => {
    const page = await site.open('/');
    await page.locator('a[rel=next]').click();
    expect(await listed(page)).toEqual(titles(35, 11));
    await page.locator('a[rel=next]').click();
    expect(await listed(page)).toEqual(titles(10, 1));
    expect(await page.locator('a[rel=next]').count()).toBe(0);
    await page.locator('a[rel=prev]').click();
    expect(await listed(page)).toEqual(titles(35, 11));
  });

  it('leads to the page of an asset, and says what it is', async () => {
    const page = await site.open('/');
    const newest = owned.at(-1) as Owned;
    const entry = page.locator('#assets li').first();
    for (const shown of [newest.asset.assetID, 'UAH', 'м. Київ', 'Державне управління справами'])
      expect(await entry.innerText()).toContain(shown);
    await entry.getByRole('link').click();
    expect(new URL(page.url()).pathname).toBe(`/assets/${newest.asset.assetID}`);
  });

  it('loads newer ones with the cursor of the API: what has changed since, and nothing twice', async () => {
    const page = await site.open('/');
    await page.getByRole('link', { name: 'Load newer' }).click();
    expect(await listed(page)).toEqual([]);
    const first = owned[0] as Owned;
    expect((await change(site, first, { title: 'Змінена' })).status).toBe(200);
    const second = owned[1] as Owned;
    expect((await change(site, second, { status: 'deleted' })).status).toBe(200);
    await page.getByRole('link', { name: 'Load newer' }).click();
    expect(await listed(page)).toEqual([title(2), 'Змінена']);
    const cursor = new URL(page.url()).searchParams.get('offset');
    const { json } = await site.send(`/api/0.1/assets?offset=${encodeURIComponent(String(cursor))}`);
    expect(json.data.map(({ id }: { id: string }) => id)).toEqual([first.id, second.id]);
    await page.getByRole('link', { name: 'Load newer' }).click();
    expect(await listed(page)).toEqual([]);
  });

  it('is followed as a feed too: Atom that a browser can read', async () => {
    const page = await site.open('/');
    const feed = await page.locator('link[type="application/atom+xml"]').getAttribute('href');
    const { headers, text } = await site.send(String(feed));
    expect(headers.get('content-type')).toContain('application/atom+xml');
    const parsed = await page.evaluate<unknown>(`(() => {
      const { documentElement } = new DOMParser().parseFromString(${JSON.stringify(text)}, 'application/xml');
      return [documentElement.localName, documentElement.querySelectorAll('entry').length];
    })()`);
    expect(parsed).toEqual(['feed', PAGE]);
  });
});
