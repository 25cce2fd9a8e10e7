import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { ASSETS, change, type Owned, publish } from '../../support/assets.js';
import { click } from '../../support/browser.js';
import { embedded } from '../../support/databases.js';
import { Site } from '../../support/site.js';

const PUBLISHED = 60;
const PAGE = 25;
const title = (number: number): string => `Ділянка № ${number}`;

describe.each(embedded)('the list in a browser on $name', (kind) => {
  let site: Site;
  const owned: Owned[] = [];

  beforeAll(async () => {
    site = await Site.start(kind);
    for (let i = 1; i <= PUBLISHED; i++) owned.push(await publish(site, { title: title(i) }));
    await site.indexed();
  });
  afterAll(() => site?.stop());
  afterEach(async () => expect(await site.leave()).toEqual([]));

  /** What is available, as the API has it, the newest change first. */
  const available = async (): Promise<{ title: string; assetID: string; status: string }[]> => {
    const { json } = await site.send(`${ASSETS}?descending=1&limit=1000&opt_fields=title,assetID,status`);
    return json.data.filter(({ status }: { status: string }) => status === 'pending');
  };
  const titles = async (from: number, to?: number): Promise<string[]> =>
    (await available()).slice(from, to).map((one) => one.title);
  const listed = (page: Page): Promise<string[]> => page.locator('#assets li h2').allInnerTexts();

  it('has the newest changes, 25 of them, newest first', async () => {
    const page = await site.open('/');
    expect(await listed(page)).toEqual(await titles(0, PAGE));
  });

  it('leads to older ones, to the last, and back', async () => {
    const page = await site.open('/');
    expect(await page.locator('a[rel=prev]').count()).toBe(0);
    await click(page.locator('a[rel=next]'));
    expect(await listed(page)).toEqual(await titles(PAGE, 2 * PAGE));
    await click(page.locator('a[rel=next]'));
    expect(await listed(page)).toEqual(await titles(2 * PAGE));
    expect(await page.locator('a[rel=next]').count()).toBe(0);
    await click(page.locator('a[rel=prev]'));
    expect(await listed(page)).toEqual(await titles(PAGE, 2 * PAGE));
  });

  it('leads to the page of an asset, and says what it is', async () => {
    const page = await site.open('/');
    const [newest] = await available();
    const entry = page.locator('#assets li').first();
    for (const shown of [newest?.assetID as string, 'UAH', 'м. Київ', 'Державне управління справами'])
      expect(await entry.innerText()).toContain(shown);
    await click(entry.getByRole('link'));
    expect(new URL(page.url()).pathname).toBe(`/assets/${newest?.assetID}`);
  });

  it('shows what is newer than a cursor of the API: what has changed since, and nothing twice', async () => {
    const cursor = (await site.send(`${ASSETS}?descending=1&limit=1`)).json.data[0].dateModified as string;
    const since = `/?offset=${encodeURIComponent(cursor)}`;
    expect(await listed(await site.open(since))).toEqual([]);
    const [first, second] = owned as [Owned, Owned];
    expect((await change(site, first, { title: 'Змінена' })).status).toBe(200);
    expect((await change(site, second, { status: 'deleted' })).status).toBe(200);
    await site.indexed();
    const page = await site.open(since);
    expect(await listed(page)).toEqual([title(2), 'Змінена']);
    expect(await page.getByRole('link', { name: 'Newer' }).count()).toBe(0);
    const { json } = await site.send(`${ASSETS}?offset=${encodeURIComponent(cursor)}`);
    expect(json.data.map(({ id }: { id: string }) => id)).toEqual([first.id, second.id]);
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
