import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import compound from '../../src/asset-types/compound/compound.example.json' with { type: 'json' };
import { change, createFrom, publish } from '../support/assets.js';
import { embedded } from '../support/databases.js';
import { newFolder } from '../support/new-folder.js';
import { servedRegistry } from '../support/served-registry.js';
import { attributes, isIndexIncomplete, listedOn, textOf } from '../support/shown-page.js';

const at = (region: string) => ({ address: { countryName: 'Україна', region } });
const worth = (amount: number) => ({ value: { currency: 'UAH', amount, valueAddedTaxIncluded: true } });

describe.each(embedded)('what was chosen in the search on $name', (kind) => {
  const registry = servedRegistry(kind, { SEARCH_INDEX: join(newFolder(), 'search.sqlite') });

  beforeAll(async () => {
    for (const title of ['Ангар 1', 'Ангар 2'])
      await publish(registry, { title, ...at('Київська область'), ...worth(5) });
    await publish(registry, { title: 'Вежа', ...at('м. Київ'), ...worth(500) });
  });

  const pageAt = async (path: string): Promise<string> => {
    const { status, text } = await registry.send(path, { headers: { Accept: 'text/html', 'Accept-Language': 'en' } });
    expect([path, status]).toEqual([path, 200]);
    return isIndexIncomplete(text) ? pageAt(path) : text;
  };
  const link = (page: string, text: string): string => {
    const tag = [...page.matchAll(/<a\s[^>]*>[\s\S]*?<\/a\s*>/g)].find(([one]) => textOf(one).startsWith(text));
    expect([text, tag]).not.toEqual([text, undefined]);
    return attributes(tag?.[0] as string, 'href')[0] as string;
  };

  it('names each condition with a link that removes it, a currency with its price', async () => {
    const page = await pageAt('/?q=вежа&status=available-now&region=Київ&valueFrom=1000');
    const chips = /<nav id="chips"[\s\S]*?<\/nav>/.exec(page)?.[0] as string;
    expect(textOf(chips)).toBe('Words: вежа × Region: Kyiv × Price from: 1,000.00 UAH × Available now × Clear all');
    expect(link(chips, 'Price from')).not.toMatch(/value|currency/);
    expect(listedOn(await pageAt(link(chips, 'Price from')))).toHaveLength(1);
    expect(link(chips, 'Available now')).not.toContain('status');
    expect(link(chips, 'Clear all')).toBe('/');
    const bare = await pageAt('/?q=вежа&status=available-now');
    expect(link(/<nav id="chips"[\s\S]*/.exec(bare)?.[0] as string, 'Words')).toBe('/');
    expect(await pageAt('/?sort=value')).not.toContain('id="chips"');
  });

  it('is sorted by links; without the price order its currency is removed as well', async () => {
    const byPrice = link(await pageAt('/?q=ангар'), 'most expensive');
    expect(byPrice).toBe('/?q=%D0%B0%D0%BD%D0%B3%D0%B0%D1%80&sort=-value');
    expect(link(await pageAt(byPrice), 'oldest')).toBe('/?q=%D0%B0%D0%BD%D0%B3%D0%B0%D1%80&sort=dateModified');
    expect(link(await pageAt('/'), 'cheapest')).toBe('/?sort=value');
  });

  it('says how many there would be without each condition, if nothing matches all of them', async () => {
    const page = await pageAt('/?q=вежа&region=Київ&valueTo=10&status=pending');
    const without = /<ul id="without">[\s\S]*?<\/ul>/.exec(page)?.[0] as string;
    expect(textOf(without)).toBe('Without Words: вежа : 0 Without Region: Kyiv : 0 Without Price to: 10.00 UAH : 1');
    const [only, ...others] = attributes(without, 'href');
    expect(others).toEqual([]);
    expect(listedOn(await pageAt(only as string))).toHaveLength(1);
    expect(only).not.toContain('currency');
  });

  it('is also shown for a list by price, which always has a currency', async () => {
    for (const order of ['sort=value', 'sort=-value&currency=USD', 'sort=value&valueTo=1']) {
      const page = await pageAt(`/?q=жодного&status=pending&${order}`);
      const without = /<ul id="without">[\s\S]*?<\/ul>/.exec(page)?.[0] as string;
      expect(textOf(without)).toMatch(/^Without Words: жодного : \d/);
      expect(textOf(without)).not.toContain('Currency');
    }
  });

  it('shows the number and kinds of the items of a compound, and the location of the first', async () => {
    const { data } = structuredClone(compound);
    const owned = await createFrom(registry, { data: { ...data, title: 'Старий млин' } });
    await change(registry, owned, { status: 'pending' });
    await pageAt('/?q=nothing');
    const [item] = data.items as [(typeof data.items)[number]];
    const text = textOf(await pageAt('/?q=млин'));
    expect(text).toContain(`Items: ${data.items.length} (${item.classification.description}`);
    expect(text).toContain(`${item.address.locality}, ${item.address.streetAddress}`);
  });
});
