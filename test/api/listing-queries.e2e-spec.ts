import { beforeAll, describe, expect, it } from '@jest/globals';
import { ASSETS, createIn, type Owned, publish, read } from '../support/assets.js';
import { embedded } from '../support/databases.js';
import { expectError } from '../support/errors.js';
import { microsOf } from '../support/log-watch.js';
import { addAssets } from '../support/many-assets.js';
import type { Page } from '../support/pages.js';
import { TestRegistry } from '../support/registry.js';
import { servedRegistry } from '../support/served-registry.js';
import { runSql } from '../support/rows.js';

/** Instants of the first three entries: two are in the hour that the clock change of 2017-10-29 repeats. */
const SUMMER = '2017-10-29T03:30:00.000000+03:00';
const WINTER = '2017-10-29T03:30:00.000007+02:00';
const LATER = '2018-01-01T12:00:00.123456+02:00';
const TIMES = [SUMMER, WINTER, LATER];

describe.each(embedded)('queries of the listing on $name', (kind) => {
  const registry = servedRegistry(kind);
  let entries: Owned[];

  const list = async (query: string): Promise<Page> => (await registry.send(ASSETS + query)).json;
  /** Numbers of the entries on a page. */
  const numbers = async (query: string): Promise<number[]> =>
    (await list(query)).data.map(({ id }) => entries.findIndex((entry) => entry.id === id));

  beforeAll(async () => {
    entries = [await publish(registry), await createIn(registry, 'active'), await createIn(registry, 'deleted')];
    for (const [i, { id }] of entries.entries()) {
      const us = microsOf(TIMES[i] as string);
      await runSql(registry, 'UPDATE asset SET feed_us = ?, modified_us = ? WHERE id = ?', [us, us, id]);
    }
  });

  describe('limit', () => {
    it.each([
      ['1', [0]],
      ['1001', [0, 1, 2]],
      ['99999999999999999999999', [0, 1, 2]],
      ['', [0, 1, 2]],
    ])('%p is understood', async (limit, shown) => {
      expect(await numbers(`?limit=${limit}`)).toEqual(shown);
    });

    it.each(['0', '-1', '%2B1', '1e2', '%201', '٣'])('%p is 400', async (limit) => {
      expectError(await registry.send(`${ASSETS}?limit=${limit}`), 400, 'header', 'limit');
    });
  });

  describe('offset', () => {
    it.each([
      ['2017-10-29', [0, 1, 2]],
      ['2017-10-30', [2]],
      ['2018-01-01T12:01', []],
      ['2018-01-01T12:00:00.123455', [2]],
      ['2018-01-01T12:00:00.123456', []],
      ['2018-01-01T10:00:00.123456Z', []],
      ['2018-01-01T10:00Z', [2]],
      ['2018-01-01T15:30:00.123456%2B05:30', []],
      ['2018-01-01T15:30:00.123455%2B0530', [2]],
      ['2018-01-01T15:30:00.123456+05:30', []],
      ['2018-01-01T05:00:00.123455-05:00', [2]],
      ['2018-01-01T12:00:00.123455999', [2]],
      ['2018-01-01T12:00:00.123456000Z', []],
      ['2018-01-01+12:00', [2]],
      ['2018-01-01%2012:00:00.123456+02:00', []],
      ['0001-01-01', [0, 1, 2]],
      ['9999-12-31T23:59:59.999999Z', []],
    ])('is compared as an instant: %s', async (offset, shown) => {
      expect(await numbers(`?offset=${offset}`)).toEqual(shown);
    });

    it.each([
      ['2017-10-29T03:29:59.999999', [0, 1, 2]],
      ['2017-10-29T03:30', [1, 2]],
      ['2017-10-29T03:15%2B02:00', [1, 2]],
      ['2017-10-29T04:00', [2]],
    ])('without a UTC offset the hour that is repeated is the earlier one: %s', async (offset, shown) => {
      expect(await numbers(`?offset=${offset}`)).toEqual(shown);
    });

    it.each([
      ...'now 0 2018 20180101 2018-13-01 2018-02-29 2018-1-1 2018-01-01T12 2018-01-01T25:00'.split(' '),
      ...'2018-01-01T12:00:61 2018-01-01T12:00:00,5 2018-01-01T12:00:00%2B24:00 %202018-01-01'.split(' '),
      ...'2018-01-01%0A ２０１８-01-01 2018-01-01T12:00:00++03:00'.split(' '),
      "2018-01-01'--",
    ])('anything else is 400: %s', async (offset) => {
      expectError(await registry.send(`${ASSETS}?offset=${offset}`), 400, 'header', 'offset');
    });

    it.each([
      ['1514800800', 'bare number'],
      ['2018', 'a year alone'],
      ['2018-01-01T12:00:00 Europe/Kyiv', 'the name of a time zone'],
      ['2018-01-01%0A', 'a line break'],
      ['2018-01-32', 'no such day'],
    ])('the error names the part that is wrong: %s', async (offset, part) => {
      for (const query of [`?offset=${offset}`, `/digest?from=${offset}`, `/search?modifiedTo=${offset}`])
        expect((await registry.send(`${ASSETS}${query}`)).json.errors[0].description).toContain(part);
    });

    it.each(['%zz', '%ff'])('which is not percent-encoded UTF-8 is 400: %s', async (offset) => {
      expectError(await registry.send(`${ASSETS}?offset=${offset}`), 400, 'header', 'offset');
    });
  });

  describe('empty and repeated parameters', () => {
    it.each(['offset', 'limit', 'descending', 'opt_fields'])('an empty %s counts as absent', async (name) => {
      const page = await list(`?${name}=`);
      expect(page.data).toEqual((await list('')).data);
      expect(page).not.toHaveProperty('prev_page');
      expect(await numbers(`?${name}`)).toEqual([0, 1, 2]);
    });

    it.each([
      ['offset', '2017-01-01'],
      ['limit', '1'],
      ['opt_fields', 'title'],
      ['wait', '1'],
      ['acc_token', 'a'],
    ])('%s given twice is 400', async (name, value) => {
      for (const second of [`${name}=${value}`, `${name}=`, `x=1&${name}`]) {
        const reply = await registry.send(`${ASSETS}?${name}=${value}&${second}`);
        expectError(reply, 400, 'header', name);
      }
    });

    it.each([
      ...'q=a status=active assetType=basic region=a custodian=1 classification=CPV relatedLot=1 owner=broker'.split(
        ' ',
      ),
      ...'currency=UAH valueFrom=1 valueTo=1 modifiedFrom=2018-01-01 modifiedTo=2018-01-01'.split(' '),
    ])('a filter of the search is 400, with the way to it: %s', async (filter) => {
      const reply = await registry.send(`${ASSETS}?limit=1&${filter}`);
      expectError(reply, 400, 'header', filter.split('=')[0] as string);
      expect(reply.json.errors[0].description).toContain('/assets/search');
    });

    it.each(['feed=dates', 'mode=_all_', 'x=1&x=2', '__proto__=1', 'status=', 'sort=value'])(
      '%s is accepted and changes nothing',
      async (query) => {
        expect((await list(`?${query}`)).data).toEqual((await list('')).data);
      },
    );
  });

  describe('opt_fields', () => {
    it('prints numbers as the asset does', async () => {
      expect((await registry.send(`${ASSETS}?opt_fields=value`)).text).toContain('"amount":100.0');
    });

    it('* makes each entry the whole asset', async () => {
      for (const query of ['?opt_fields=*', '?opt_fields=title,*']) {
        const { data } = await list(query);
        const assets = await Promise.all(entries.map(async (entry) => (await read(registry, entry)).json.data));
        expect(data).toEqual(assets);
      }
    });

    it.each(['value.amount', '__proto__', 'token', ',,'])('ignores the unknown name %s', async (name) => {
      expect((await list(`?opt_fields=${name}`)).data).toEqual((await list('')).data);
    });

    it('shows a field that is named twice once', async () => {
      const { text } = await registry.send(`${ASSETS}?limit=1&opt_fields=status,id,status,dateModified`);
      expect(text.match(/"status":/g)).toHaveLength(1);
      expect(text.match(/"id":/g)).toHaveLength(1);
      expect(text.match(/"dateModified":/g)).toHaveLength(1);
    });
  });

  describe('descending', () => {
    it.each(['1', 'x', '00'])('%p is newest first', async (value) => {
      expect(await numbers(`?descending=${value}`)).toEqual([2, 1, 0]);
    });

    it.each(['', '0'])('%p is oldest first', async (value) => {
      expect(await numbers(`?descending=${value}`)).toEqual([0, 1, 2]);
    });

    it.each([
      [LATER, [1, 0]],
      ['2018-01-01T12:00:00.123457+02:00', [2, 1, 0]],
      [SUMMER, []],
    ])('offset means strictly before: %s', async (offset, shown) => {
      expect(await numbers(`?descending=1&offset=${encodeURIComponent(offset)}`)).toEqual(shown);
    });

    it('next_page continues in the same direction', async () => {
      const page = await list('?descending=1&limit=2');
      expect(page.next_page.offset).toBe(WINTER);
      const next: Page = (await registry.send(page.next_page.path)).json;
      expect(next.data.map(({ id }) => id)).toEqual([entries[0]?.id]);
    });
  });

  it('limit is 100 by default, and more than 1000 counts as 1000', () =>
    TestRegistry.during(kind, {}, async (large) => {
      await publish(large);
      await addAssets(large.databaseUrl, 1_000);
      const lengthOf = async (query: string): Promise<number> => (await large.send(ASSETS + query)).json.data.length;
      expect(await lengthOf('')).toBe(100);
      expect(await lengthOf('?limit=1000')).toBe(1_000);
      expect(await lengthOf('?limit=1001')).toBe(1_000);
      expect(await lengthOf('?limit=5000&opt_fields=*')).toBe(1_000);
    }));
});
