import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ASSETS, publish } from '../support/assets.js';
import { embedded } from '../support/databases.js';
import { newFolder } from '../support/new-folder.js';
import { servedRegistry } from '../support/served-registry.js';
import { attributes, isIndexIncomplete, listedOn, textOf } from '../support/shown-page.js';

const PRICED = { valueAddedTaxIncluded: true };

describe.each(embedded)('lists by price, and older changes, on $name', (kind) => {
  const registry = servedRegistry(kind, { SEARCH_INDEX: join(newFolder(), 'search.sqlite') });

  const pageAt = async (path: string): Promise<string> => {
    const { status, text } = await registry.send(path, { headers: { Accept: 'text/html' } });
    expect([path, status]).toEqual([path, 200]);
    return isIndexIncomplete(text) ? pageAt(path) : text;
  };
  /** The address of the first link whose text begins so. */
  const link = (page: string, text: string): string => {
    const tag = [...page.matchAll(/<a\s[^>]*>[\s\S]*?<\/a\s*>/g)].find(([one]) => textOf(one).startsWith(text));
    return attributes(tag?.[0] ?? '', 'href')[0] as string;
  };
  const indexed = (): Promise<unknown> => pageAt('/?q=nothing');

  it('has pages after the first 25: each match once, each page with an ETag', async () => {
    for (let i = 0; i < 53; i++) await publish(registry, { title: `Маяк ${i}` });
    await indexed();
    const linkIn = (text: string, rel: string): string | undefined =>
      new RegExp(`<link\\s+rel="${rel}"\\s+type="application/atom\\+xml"\\s+href="([^"]*)"`).exec(text)?.[1];
    const pagesFrom = async (first: string): Promise<string[][]> => {
      const pages: string[][] = [];
      for (let path: string | undefined = first; path !== undefined;) {
        const { headers, text } = await registry.send(path);
        expect(linkIn(text, 'self')).toBe(registry.url + path.replaceAll('&', '&amp;'));
        const known = { headers: { 'If-None-Match': String(headers.get('etag')) } };
        expect((await registry.send(path, known)).status).toBe(304);
        pages.push([...text.matchAll(/<entry>\s*<id>([^<]*)</g)].map(([, id]) => id as string));
        path = linkIn(text, 'next')?.slice(registry.url.length).replaceAll('&amp;', '&');
      }
      return pages;
    };
    for (const query of [`q=${encodeURIComponent('маяк')}`, '']) {
      const { total } = (await registry.send(`${ASSETS}/search?limit=1&${query}`)).json;
      const pages = await pagesFrom(`/changes.atom?${query === '' ? '' : `${query}&`}lang=en`);
      expect(pages.length).toBeGreaterThan(2);
      expect(new Set(pages.slice(0, -1).map(({ length }) => length))).toEqual(new Set([25]));
      expect([pages.flat().length, new Set(pages.flat()).size]).toEqual([total, total]);
    }
  });

  it('counts, names and links other currencies that an order by price leaves out', async () => {
    const prices = [
      ['UAH', 500],
      ['USD', 40],
      ['USD', 30],
      ['EUR', 7],
    ] as const;
    for (const [currency, amount] of prices)
      await publish(registry, { title: 'Причал', value: { ...PRICED, currency, amount } });
    await indexed();
    const query = `/?q=${encodeURIComponent('причал')}`;
    const page = await pageAt(`${query}&sort=value&lang=en`);
    expect(listedOn(page)).toHaveLength(1);
    expect(textOf(page)).toContain('Not in this list: prices in USD: 2 , prices in EUR: 1');
    const dollars = await pageAt(link(page, 'prices in USD: 2'));
    expect(listedOn(dollars)).toHaveLength(2);
    expect(textOf(dollars)).toMatch(/Not in this list: .*prices in UAH: 1/);
    const bounded = await pageAt(`${query}&valueFrom=600&lang=uk`);
    expect(textOf(bounded)).toContain('До цього переліку не входять: ціни в USD: 2 , ціни в EUR: 1');
    expect(listedOn(await pageAt(link(bounded, 'ціни в EUR: 1')))).toHaveLength(1);
    expect(textOf(await pageAt(`${query}&lang=en`))).not.toContain('Not in this list');
  });
});
