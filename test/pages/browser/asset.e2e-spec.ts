import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { change, changeAs, createIn, LOT, publish, read } from '../../support/assets.js';
import { databases, type TestDatabaseKind } from '../../support/databases.js';
import { Site } from '../../support/site.js';

const [sqlite] = databases as [TestDatabaseKind];

describe('the page of an asset in a browser', () => {
  let site: Site;

  beforeAll(async () => {
    site = await Site.start(sqlite);
  });
  afterAll(() => site?.stop());
  afterEach(async () => expect(await site.leave()).toEqual([]));

  it('shows everything that the broker has told', async () => {
    const { asset } = await publish(site, { description: 'Рівна ділянка\nбіля дороги', quantity: 12_345.678 });
    const page = await site.open(`/assets/${asset.assetID}`);
    const article = page.getByRole('article');
    expect(await article.getByRole('heading', { level: 1 }).innerText()).toBe('Земля для космодрому');
    expect(await article.locator('.lead').innerText()).toBe('Рівна ділянка\nбіля дороги');
    const text = await article.innerText();
    for (const shown of [
      'Pending',
      asset.assetID,
      '100.00 UAH',
      'VAT included',
      '12,345.678 item',
      '39513200-3',
      'Земельні ділянки',
    ])
      expect(text).toContain(shown);
    expect(await article.locator('address').first().innerText()).toBe('вул. Банкова 1\nм. Київ\n79000 Україна');
    for (const shown of ['Державне управління справами', 'UA-EDR 00037256', '0440000000', 'broker'])
      expect(text).toContain(shown);
    expect(await article.locator('a[href="http://www.dus.gov.ua/"]').getAttribute('rel')).toContain('nofollow');
  });

  it('tells its states in the timeline, newest first, with what was changed', async () => {
    const owned = await publish(site);
    await change(site, owned, { title: 'Ділянка біля дороги' });
    await changeAs(site, 'concierge', owned.id, { status: 'active', relatedLot: LOT });
    const page = await site.open(`/assets/${owned.asset.assetID}`);
    const entries = await page.locator('#timeline li').allInnerTexts();
    expect(entries).toHaveLength(3);
    expect(entries[0]).toContain('Active');
    expect(entries[1]).toContain('Title');
    expect(entries[2]).toContain('Pending');
    expect(await page.locator('#lot').innerText()).toBe(LOT);
    const [newest] = await page
      .locator('#timeline time')
      .evaluateAll((times) => times.map((time) => time.getAttribute('title')));
    expect(newest).toBe((await read(site, owned)).json.data.dateModified);
  });

  it('says clearly that an asset is deleted, and shows it all the same', async () => {
    const { asset } = await createIn(site, 'deleted');
    const page = await site.open(`/assets/${asset.assetID}`);
    expect(await page.locator('p[role=status].banner').innerText()).toContain('deleted');
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Земля для космодрому');
    expect(
      await page.locator('p[role=status].banner').evaluate((banner) => banner.getBoundingClientRect().top),
    ).toBeLessThan(300);
  });
});
