import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { ASSETS, publish } from '../../support/assets.js';
import { click } from '../../support/browser.js';
import { embedded } from '../../support/databases.js';
import { Site } from '../../support/site.js';

const PUBLISHED = 60;
const PAGE = 25;
const title = (number: number): string => `Ділянка № ${number}`;

describe.each(embedded)('the list in a browser on $name', (kind) => {
  let site: Site;

  beforeAll(async () => {
    site = await Site.start(kind);
    for (let i = 1; i <= PUBLISHED; i++) await publish(site, { title: title(i) });
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
});
