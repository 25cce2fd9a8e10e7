import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { newFolder } from '../support/new-folder.js';
import { runSql } from '../support/rows.js';
import { ASSETS, change, create, type Owned, publish } from '../support/assets.js';
import { embedded } from '../support/databases.js';
import { TestRegistry } from '../support/registry.js';
import { servedRegistry } from '../support/served-registry.js';
import { attributes, isIndexIncomplete, linksOf, listedOn, textOf } from '../support/shown-page.js';

const PAGE = 20;
const COUNT = 2 * PAGE + 3;

describe.each(embedded)('the list on $name', (kind) => {
  const folder = newFolder();
  const registry = servedRegistry(kind, { SEARCH_INDEX: join(folder, 'search.sqlite') });
  let published: Owned[];

  beforeAll(async () => {
    published = [];
    for (let number = 1; published.length < COUNT; number++)
      published.push(await publish(registry, { title: `Ділянка ${number}` }));
  });

  const pageAt = async (path: string, site = registry): Promise<string> => {
    const { status, text } = await site.send(path, { headers: { 'Accept-Language': 'en' } });
    expect([path, status]).toEqual([path, 200]);
    return isIndexIncomplete(text) ? pageAt(path, site) : text;
  };
  const numbers = (assets: readonly Owned[]): string[] => assets.map(({ asset }) => asset.assetID);
  const [newer, older] = ['prev', 'next'].map((rel) => (page: string) => linksOf(page, rel)[0]);

  it('leads from page to page to the oldest asset, each once', async () => {
    const seen: string[][] = [];
    for (let next: string | undefined = '/'; next !== undefined;) {
      const page = await pageAt(next);
      seen.push(listedOn(page));
      next = older?.(page);
    }
    for (const { length } of seen.slice(0, -1)) expect(length).toBe(PAGE);
    expect(seen.flat()).toEqual(numbers(published.toReversed()));
  });

  it('lists newer changes from a cursor of the API', async () => {
    const { next_page } = (await registry.send(`${ASSETS}?limit=${published.length - 2}`)).json;
    const page = await pageAt(`/?offset=${encodeURIComponent(next_page.offset)}`);
    expect(listedOn(page)).toEqual(numbers(published.slice(-2).toReversed()));
    const before = await pageAt(`/?offset=${encodeURIComponent(next_page.offset)}&descending=1`);
    expect(listedOn(before)).toEqual(numbers(published.slice(-3 - PAGE, -3).toReversed()));
  });

  it('links to a newer page only if there is one', async () => {
    const first = await pageAt('/');
    expect(newer?.(first)).toBeUndefined();
    const second = await pageAt(older?.(first) as string);
    const back = await pageAt(newer?.(second) as string);
    expect(newer?.(back)).toBeUndefined();
  });

  it('says that nothing is newer, until something is', async () => {
    const last = (await registry.send(`${ASSETS}?descending=1&limit=1`)).json.data[0].dateModified;
    const link = `/?offset=${encodeURIComponent(last)}`;
    expect(textOf(await pageAt(link))).toContain('There are no newer changes yet');
    const [asked] = published.splice(2, 1) as [Owned];
    await change(registry, asked, { quantity: 77 });
    published.push(asked);
    expect(listedOn(await pageAt(link))).toEqual([asked.asset.assetID]);
    expect(listedOn(await pageAt('/'))[0]).toBe(asked.asset.assetID);
  });

  it('never has a draft, found by words or not, nor has the Atom feed', async () => {
    const draft = await create(registry, { title: 'Чернетка у переліку' });
    expect(listedOn(await pageAt('/'))).not.toContain(draft.asset.assetID);
    expect(listedOn(await pageAt('/?q=чернетка'))).toEqual([]);
    const { status, text } = await registry.send('/changes.atom');
    expect(status).toBe(200);
    expect(text).not.toContain('Чернетка у переліку');
  });

  describe('what is searched for', () => {
    it('stays in the form and in the links to more', async () => {
      const page = await pageAt('/?q=ділянка&status=pending&type=basic&lang=en');
      expect(page).toMatch(/name="q"\s+type="search"\s+value="ділянка"/);
      for (const [name, value] of [
        ['status', 'pending'],
        ['assetType', 'basic'],
      ])
        expect(page).toContain(`<input type="hidden" name="${name}" value="${value}" />`);
      expect(page).toContain('<a href="/?lang=en">Clear all</a>');
      expect(listedOn(page)).toHaveLength(PAGE);
      const next = older?.(page) as string;
      for (const part of ['q=%D0%B4%D1%96', 'status=pending', 'assetType=basic', 'lang=en', 'offset='])
        expect(next).toContain(part);
      const more = listedOn(await pageAt(next));
      expect(more).toHaveLength(PAGE);
      expect(more.filter((number) => listedOn(page).includes(number))).toEqual([]);
    });

    it('is left out if a restored older database lacks it, and the others are found', () =>
      TestRegistry.during(kind, { SEARCH_INDEX: join(folder, 'put-back.sqlite') }, async (other) => {
        const [gone, stays] = [await publish(other), await publish(other)];
        // A search makes the index include both.
        expect(listedOn(await pageAt('/?q=немаєтакого', other))).toEqual([]);
        // As if the asset had never been.
        await runSql(other, 'DELETE FROM asset WHERE id = ?', [gone.id]);
        expect(listedOn(await pageAt('/?q=космодром', other))).toEqual(numbers([stays]));
      }));

    it('says that nothing was found', async () => {
      expect(textOf(await pageAt('/?q=немаєтакого'))).toContain('Nothing was found');
    });

    it('has every input labelled', async () => {
      const page = await pageAt('/');
      const labelled = attributes(page, 'for');
      for (const [, id] of page.matchAll(/<(?:input|select) id="(\w+)"/g)) expect(labelled).toContain(id);
      const prices = ['valueFrom', 'valueTo', 'currency'];
      const others = ['custodian', 'classification', 'owner', 'relatedLot', 'modifiedFrom', 'modifiedTo'];
      expect(labelled).toEqual(['q', 'region', ...prices, ...others]);
    });
  });

  describe('as an Atom feed', () => {
    it('has the newest changes, each with an id without an address, and a link to that state', async () => {
      const { headers, text } = await registry.send('/changes.atom', { headers: { 'Accept-Language': 'en' } });
      expect(headers.get('content-type')).toBe('application/atom+xml; charset=utf-8');
      const entries = text.split('<entry>').slice(1);
      expect(entries).toHaveLength(25);
      const ids = entries.map((entry) => /<id>([^<]*)<\/id>/.exec(entry)?.[1] as string);
      expect(new Set(ids).size).toBe(25);
      const newest = (await registry.send(`${ASSETS}?descending=1&limit=1&opt_fields=*`)).json.data[0];
      for (const id of [...ids, /<id>([^<]*)<\/id>/.exec(text)?.[1]]) {
        expect(id).toMatch(/^tag:asset-registry,2026:[A-Za-z0-9/.]+$/);
        expect(id).not.toContain(new URL(registry.url).hostname);
      }
      const then = /rel="related"[^>]*href="([^"]*)"/.exec(entries[0] as string)?.[1] as string;
      expect((await registry.send(then.slice(registry.url.length))).json.data).toEqual(newest);
      expect(text).toContain(`<updated>${newest.dateModified}</updated>`);
    });

    it('shows old and new values, moves and publications', async () => {
      const contentOf = async (language: string): Promise<string> => {
        const { text } = await registry.send('/changes.atom', { headers: { 'Accept-Language': language } });
        const [, content = ''] = /<content type="html">([^<]*)<\/content>/.exec(text) ?? [];
        return textOf(content.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'));
      };
      const owned = await publish(registry, { title: 'До зміни' });
      expect([await contentOf('en'), await contentOf('uk')]).toEqual(['Published', 'Опубліковано']);
      await change(registry, owned, { title: 'Після <b>зміни</b>' });
      expect(await contentOf('en')).toBe('Title: До зміни → Після <b>зміни</b>');
      await change(registry, owned, { status: 'deleted' });
      expect(await contentOf('en')).toBe('State: Published → Withdrawn');
      published.push(owned);
    });

    it('is sent again only when something has changed', async () => {
      const first = await registry.send('/changes.atom');
      const again = { headers: { 'If-None-Match': first.headers.get('etag') as string } };
      const same = await registry.send('/changes.atom', again);
      expect([same.status, same.text]).toEqual([304, '']);
      published.push(await publish(registry));
      expect((await registry.send('/changes.atom', again)).status).toBe(200);
    });
  });
});
