import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  ASSETS,
  assetBody,
  change,
  changeAs,
  createFrom,
  type JsonObject,
  LOT,
  type Owned,
} from '../support/assets.js';
import { CURRENCIES, filtersFrom, randomBody, type Shown } from '../support/asset-filters.js';
import { embedded } from '../support/databases.js';
import { expectError } from '../support/errors.js';
import { newFolder } from '../support/new-folder.js';
import { Random } from '../support/random.js';
import { TestRegistry, zoneAtNoon } from '../support/registry.js';
import { servedRegistry } from '../support/served-registry.js';
import { until } from '../support/until.js';

const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
const SEARCH = `${ASSETS}/search`;
const COUNT = 60;

interface Found {
  data: { id: string; dateModified: string }[];
  total: number;
  total_is_exact: boolean;
  indexed_up_to: string;
  next_page: { offset: string; path: string };
  facets?: Record<string, Record<string, number>>;
}

interface StatisticsAnswer {
  indexed_up_to: string;
  total: number;
  status: object;
  assetType: object;
  region: object;
  value: object;
  days: { date: string; created: number; changed: number }[];
  months: { month: string; created: number; changed: number; value: object }[];
}

function counts(values: readonly string[]): Record<string, number> {
  const entries = [...new Set(values)].map(
    (value) => [value, values.filter((other) => other === value).length] as const,
  );
  return Object.fromEntries(entries);
}

/** Sums and medians of the values by currency. Amounts are halves, so that doubles are exact. */
function valuesIn(assets: readonly Shown[]): Record<string, { sum: number; count: number; median: number }> {
  const values = CURRENCIES.map((currency) => {
    const amounts = assets.filter(({ value }) => value.currency === currency).map(({ value }) => value.amount);
    const [sorted, middle] = [amounts.toSorted((a, b) => a - b), (amounts.length - 1) / 2];
    const median = ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle)] ?? 0)) / 2;
    const sum = amounts.reduce((all, amount) => all + amount, 0);
    return [currency, { sum, count: amounts.length, median }] as const;
  });
  return Object.fromEntries(values.filter(([, { count }]) => count > 0));
}

/** The expected `/statistics` of these assets, without days and months. */
function countedIn(assets: readonly Shown[]): object {
  return {
    total: assets.length,
    status: counts(assets.map(({ status }) => status)),
    assetType: counts(assets.map(({ assetType }) => assetType)),
    region: counts(assets.map(({ address }) => address.region as string)),
    value: valuesIn(assets),
  };
}

describe.each(embedded)(`search as data on $name (SEED=${SEED})`, (kind) => {
  const random = new Random(SEED);
  const folder = newFolder();
  const registry = servedRegistry(kind, { SEARCH_INDEX: join(folder, 'index.sqlite'), TIME_ZONE: zoneAtNoon() });

  const one = <T>(values: readonly T[]): T => random.pick(values);
  const all: Owned[] = [];
  const read = async (query: string): Promise<Found> => {
    const reply = await registry.send(SEARCH + query);
    if (reply.status !== 200) throw new Error(`${query} answered ${reply.status}: ${reply.text}`);
    return reply.json as Found;
  };
  const search = (query: readonly [string, string][], more = ''): Promise<Found> =>
    read(`?limit=1000${query.map(([name, value]) => `&${name}=${encodeURIComponent(value)}`).join('')}${more}`);
  const idsOf = ({ data }: Found): string[] => data.map(({ id }) => id);
  const listed = async (): Promise<Shown[]> =>
    (await registry.send(`${ASSETS}?limit=1000&opt_fields=*`)).json.data as Shown[];
  /** All that is listed now, which is searched too. */
  const searched = async (): Promise<Shown[]> => {
    const assets = await listed();
    await until(async () => (await read('?limit=1')).indexed_up_to === assets.at(-1)?.dateModified);
    return assets;
  };
  const moved = async (owned: Owned, state: string, key = 'broker'): Promise<void> => {
    if (state === 'draft') return;
    await change(registry, owned, { status: 'pending' }, key);
    if (state === 'deleted') await change(registry, owned, { status: 'deleted' }, key);
    if (state === 'active') await changeAs(registry, 'concierge', owned.id, { status: 'active', relatedLot: LOT });
  };

  beforeAll(async () => {
    for (let i = 0; i < COUNT; i++) {
      const key = one(['broker', 'broker2']);
      const owned = await createFrom(registry, randomBody(random), key);
      if (key === 'broker') all.push(owned);
      await moved(owned, one(['draft', 'pending', 'pending', 'active', 'deleted']), key);
    }
  });

  it('counts the hits and their facets', async () => {
    const assets = await searched();
    const dear = assets.filter(({ value }) => value.currency === 'UAH' && value.amount >= 99);
    const found = await search(
      [
        ['currency', 'UAH'],
        ['valueFrom', '99'],
      ],
      '&facets=status,assetType,region',
    );
    expect(found.total).toBe(dear.length);
    expect(found.facets).toEqual({
      status: counts(dear.map(({ status }) => status)),
      assetType: { basic: dear.length },
      region: counts(dear.map(({ address }) => address.region as string)),
    });
    expect((await search([], '&facets=status')).facets).toEqual({ status: counts(assets.map(({ status }) => status)) });
    expect(await search([])).not.toHaveProperty('facets');
  });

  it.each(['-dateModified', 'dateModified', 'value', '-value'])('sorts by %s, page by page', async (sort) => {
    const direction = sort.startsWith('-') ? -1 : 1;
    const order = (asset: Shown): number => (sort.endsWith('value') ? asset.value.amount : 0);
    const inUah = (await searched()).filter(({ value }) => value.currency === 'UAH');
    const expected = inUah.toSorted(
      (a, b) => direction * (order(a) - order(b) || (a.dateModified < b.dateModified ? -1 : 1)),
    );
    const ids: string[] = [];
    for (let path = `${SEARCH}?currency=UAH&limit=7&sort=${sort}`; ;) {
      const page = (await registry.send(path)).json as Found;
      expect(page.total).toBe(inUah.length);
      if (page.data.length === 0) break;
      ids.push(...idsOf(page));
      expect(page.next_page.path).toContain(encodeURIComponent(page.next_page.offset));
      path = page.next_page.path;
    }
    expect(ids).toEqual(expected.map(({ id }) => id));
  });

  it('adds the fields that were asked for, or gives whole assets', async () => {
    const assets = await searched();
    const [newest] = assets.slice(-1) as [Shown];
    const [entry] = (await search([], '&opt_fields=title,status,nothing')).data;
    expect(entry).toEqual({
      id: newest.id,
      dateModified: newest.dateModified,
      status: newest.status,
      title: newest.title,
    });
    expect((await search([], '&opt_fields=*')).data).toEqual(assets.toReversed());
  });

  it('finds an asset by its new owner, and no longer by the old one', async () => {
    const owned = await createFrom(registry, assetBody({ title: 'Переданеіншому' }));
    await change(registry, owned, { status: 'pending' });
    const foundOf = async (owner: string): Promise<number> =>
      (await read(`?q=${encodeURIComponent('Переданеіншому')}&owner=${owner}`)).total;
    await until(async () => (await foundOf('broker')) === 1);
    const act = (action: string, key: string, access: object): ReturnType<TestRegistry['send']> =>
      registry.send(`/api/0.1/assets/${owned.id}/${action}`, { method: 'POST', key, body: { access } });
    await act('ownership', 'broker2', (await act('transfer', 'administrator', {})).json.access);
    await until(async () => (await foundOf('broker2')) === 1);
    expect(await foundOf('broker')).toBe(0);
  });

  it('answers CSV on request: a line for each hit, the same hits as JSON, and no draft', async () => {
    const csv = async (path: string, accept = '*/*') => {
      const { status, text, headers } = await registry.send(path, { headers: { Accept: accept } });
      expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
      return { rows: parse(text, { columns: true }) as unknown as JsonObject[], headers };
    };
    await searched();
    const { rows, headers } = await csv(`${SEARCH}.csv`);
    const { data, indexed_up_to: indexed } = await search([]);
    expect(rows.map(({ id, dateModified }) => ({ id, dateModified }))).toEqual(data);
    expect(headers.get('content-disposition')).toBe('attachment; filename="assets.csv"');
    expect([headers.get('truncated'), headers.get('feed-offset')]).toEqual([null, indexed]);
    expect(
      (await csv(`${SEARCH}.csv?sort=value&currency=UAH&opt_fields=*&facets=status`)).rows.map(({ id }) => id),
    ).toEqual(idsOf(await search([['currency', 'UAH']], '&sort=value')));
    const cut = await csv(`${SEARCH}?limit=3`, 'text/csv');
    expect(cut.rows).toEqual(rows.slice(0, 3));
    expect([cut.headers.get('truncated'), cut.headers.get('vary')]).toEqual(['true', 'Accept, Accept-Encoding']);
    const [, next = ''] = /^<([^>]*)>; rel="next"$/.exec(String(cut.headers.get('link'))) ?? [];
    expect((await csv(next.slice(registry.url.length), 'text/csv')).rows).toEqual(rows.slice(3, 6));
    expectError(await registry.send(`${SEARCH}?bom=1`), 400, 'header', 'bom');
    expectError(await registry.send(`${SEARCH}.csv?statuss=pending`), 400, 'header', 'statuss');
    expect((await registry.send(`${SEARCH}.csv?bom=1`, { method: 'HEAD' })).status).toBe(200);
  });

  it('counts all listed assets, and again after random changes', async () => {
    for (let i = 0; i < 20; i++) {
      const { data } = randomBody(random);
      const asset = one(all);
      const { status } = (await registry.send(`${ASSETS}/${asset.id}`)).json.data as Shown;
      if (status === 'pending')
        await change(registry, { ...asset }, { value: data['value'], address: data['address'] });
      if (status === 'draft') await moved({ ...asset }, one(['pending', 'active', 'deleted']));
      if (status === 'active')
        await changeAs(registry, 'concierge', asset.id, { status: one(['complete', 'pending']) });
      if (i % 5 > 0) continue;
      const now = await listed();
      const statistics = async (): Promise<StatisticsAnswer> =>
        (await registry.send('/api/0.1/statistics')).json.data as StatisticsAnswer;
      await until(async () => (await statistics()).indexed_up_to === now.at(-1)?.dateModified);
      const { days, months, indexed_up_to: _, ...counted } = await statistics();
      expect(counted).toEqual(countedIn(now));
      const today = now.map(({ date }) => date.slice(0, 10)).filter((day) => day === days.at(-1)?.date).length;
      expect(today).toBe(now.length);
      expect(days.at(-1)).toEqual({ date: now[0]?.date.slice(0, 10), created: today, changed: today });
      const sums = Object.entries(valuesIn(now)).map(([currency, { sum, count }]) => [currency, { sum, count }]);
      const value: unknown = Object.fromEntries(sums);
      expect(months.at(-1)).toEqual({ month: now[0]?.date.slice(0, 7), created: today, changed: today, value });
    }
  });

  it('counts the hits of each filter, and of all filters of a search', async () => {
    const assets = await searched();
    const filters = filtersFrom(random, assets).map((filter) => [filter]);
    for (const chosen of [...filters, ...filters.map((filter) => [...filter, ...one(filters)])]) {
      const query = chosen.flatMap((filter) => filter.query);
      if (new Set(chosen).size < chosen.length) continue;
      const sent = query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
      const reply = await registry.send(`/api/0.1/statistics?${sent}`);
      const { days, months, indexed_up_to: _, ...counted } = reply.json.data as StatisticsAnswer;
      const fitting = assets.filter((asset) => chosen.every(({ matches }) => matches(asset)));
      expect({ sent, ...counted }).toEqual({ sent, ...countedIn(fitting) });
      expect([days.at(-1)?.changed, months.at(-1)?.changed]).toEqual([fitting.length, fitting.length]);
    }
  });

  it.each([
    ['statuss=pending', 'statuss'],
    ['status=sold', 'status'],
    ['valueFrom=1', 'valueFrom'],
    ['sort=value', 'sort'],
    ['limit=5', 'limit'],
    ['lang=uk', 'lang'],
  ])('refuses statistics with ?%s: a filter that is ignored gives wrong results', async (query, name) => {
    expectError(await registry.send(`/api/0.1/statistics?${query}`), 400, 'header', name);
    expect((await registry.send('/api/0.1/statistics?opt_pretty=1')).status).toBe(200);
  });

  it.each([
    ['limit=0', 'limit'],
    ['offset=x', 'offset'],
    ['status=sold', 'status'],
    ['status=pending&status=', ''],
    ['currency=uah', 'currency'],
    ['valueFrom=1', 'valueFrom'],
    ['valueTo=1e3&currency=UAH', 'valueTo'],
    ['sort=price', 'sort'],
    ['facets=status,owner', 'facets'],
    ['classification=:34', 'classification'],
    ['modifiedFrom=yesterday', 'modifiedFrom'],
    ['sort=value&sort=value&currency=UAH', 'sort'],
    ['statuss=pending', 'statuss'],
    ['valueTo=99999999999999999999&currency=UAH', ''],
  ])('?%s is refused for %s, or understood', async (query, name) => {
    const reply = await registry.send(`${SEARCH}?${query}`);
    if (name === '') expect(reply.status).toBe(200);
    else expectError(reply, 400, 'header', name);
  });

  it('is 503 if the search is off, as the statistics are', () =>
    TestRegistry.during(kind, {}, async (without) => {
      for (const path of [SEARCH, `${SEARCH}.csv`, `${SEARCH}.xlsx`, '/api/0.1/statistics', '/statistics'])
        expectError(await without.send(path), 503, 'header', 'server');
    }));
});
