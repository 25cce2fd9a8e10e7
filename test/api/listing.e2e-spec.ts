import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ASSETS, change, type Owned, publish } from '../support/assets.js';
import { embedded } from '../support/databases.js';
import { type Page } from '../support/pages.js';
import { TestRegistry } from '../support/registry.js';
import { servedRegistry } from '../support/served-registry.js';

const TITLES = Array.from({ length: 7 }, (_, i) => `Ділянка ${i}`);

describe.each(embedded)('the listing as a change feed on $name', (kind) => {
  const registry = servedRegistry(kind);
  let empty: TestRegistry;
  let published: Owned[];

  const list = async (query = ''): Promise<Page> => (await registry.send(ASSETS + query)).json;
  const ids = (page: Page): string[] => page.data.map(({ id }) => id);

  beforeAll(async () => {
    empty = await TestRegistry.start(kind);
    published = [];
    for (const title of TITLES) published.push(await publish(registry, { title }));
  });
  afterAll(() => empty?.stop());

  describe('a page', () => {
    it('is next_page and data, and each entry id and dateModified', async () => {
      const page = await list();
      expect(Object.keys(page).toSorted()).toEqual(['data', 'next_page']);
      const [{ asset }] = published as [Owned];
      const { id, dateModified } = asset;
      expect(page.data[0]).toEqual({ id, dateModified });
    });

    it('has each asset once, at its last change', async () => {
      const before = ids(await list('?limit=1000'));
      const [first, second] = [await publish(registry), await publish(registry)];
      const reply = await change(registry, first, { description: 'Опис' });
      const page = await list('?limit=1000');
      expect(ids(page)).toEqual([...before, second.id, first.id]);
      expect(page.data.at(-1)?.dateModified).toBe(reply.json.data.dateModified);
    });

    it('links to the next one in a header as well', async () => {
      const reply = await registry.send(`${ASSETS}?limit=2`);
      expect(reply.headers.get('link')).toBe(`<${reply.json.next_page.uri}>; rel="next"`);
    });

    it('that is empty carries Backoff: 300, another does not', async () => {
      expect((await empty.send(ASSETS)).headers.get('backoff')).toBe('300');
      const end = (await list()).next_page;
      expect((await registry.send(end.path)).headers.get('backoff')).toBe('300');
      expect((await registry.send(ASSETS)).headers.get('backoff')).toBeNull();
    });

    it.each(['/api/0.1', '/api/0'])('keeps the prefix that the request came with: %s', async (prefix) => {
      const reply = await registry.send(`${prefix}/assets?limit=2`);
      expect(reply.json.next_page.path.startsWith(`${prefix}/assets?`)).toBe(true);
      expect(ids(reply.json)).toEqual(ids(await list('?limit=2')));
    });

    it('HEAD answers as GET, with no body', async () => {
      const [get, head] = [await registry.send(ASSETS), await registry.send(ASSETS, { method: 'HEAD' })];
      expect([head.status, head.text]).toEqual([200, '']);
      for (const name of ['content-type', 'content-length', 'link']) {
        expect(head.headers.get(name)).toBe(get.headers.get(name));
      }
    });
  });

  describe('next_page', () => {
    it('offset is dateModified of the last entry', async () => {
      const page = await list('?limit=4');
      expect(page.next_page.offset).toBe(page.data[3]?.dateModified);
    });

    it('offset is empty on an empty page when none was sent', async () => {
      expect((await empty.send(ASSETS)).json).toMatchObject({ next_page: { offset: '' }, data: [] });
    });

    it.each([
      ['2099-01-01T00:00:00%2B02:00', '2099-01-01T00:00:00+02:00'],
      ['2099-01-01T00:00:00+02:00', '2099-01-01T00:00:00+02:00'],
    ])('offset is the one that was sent on an empty page, with a lost plus put back: %s', async (sent, offset) => {
      const page = await list(`?offset=${sent}`);
      expect(page).toMatchObject({ next_page: { offset }, data: [] });
      expect(page.next_page.path).toBe(`${ASSETS}?offset=${encodeURIComponent(offset)}`);
    });

    it('path keeps the original parameters and replaces offset', async () => {
      const query = 'limit=2&offset=2017-01-01&opt_fields=status%2Ctitle&x=%D1%96%20%26&feed=dates&y=';
      const { next_page: next } = await list(`?${query}`);
      expect(next.path.startsWith(`${ASSETS}?`)).toBe(true);
      const parameters = new URLSearchParams(next.path.slice(ASSETS.length + 1));
      expect(Object.fromEntries(parameters)).toEqual({
        limit: '2',
        offset: next.offset,
        opt_fields: 'status,title',
        x: 'і &',
        feed: 'dates',
        y: '',
      });
    });

    it('query values repeated in the Link header cannot break out of it', async () => {
      const reply = await registry.send(`${ASSETS}?x=%3E%3B%20rel%3D%22prev%22%0D%0AX-Evil%3A1`);
      expect(reply.headers.get('link')).toMatch(/^<[^<>"\s]*>; rel="next"$/);
      expect(reply.headers.get('x-evil')).toBeNull();
    });

    it.each(['', '?descending=1'])('a link has only offset, path and uri: %p', async (query) => {
      const { next_page: next, prev_page: prev } = await list(query);
      for (const link of [next, prev].filter((one) => one !== undefined)) {
        expect(Object.keys(link).toSorted()).toEqual(['offset', 'path', 'uri']);
      }
    });
  });

  describe('prev_page', () => {
    it.each(['', '?descending=0', '?offset='])(
      'is absent when neither offset nor descending was given: %p',
      async (query) => {
        expect(await list(query)).not.toHaveProperty('prev_page');
      },
    );

    it('its offset is the sent one, on an empty page', async () => {
      expect((await list('?offset=2099-01-01')).prev_page?.offset).toBe('2099-01-01');
      expect((await list('?offset=2001-01-01&descending=1')).prev_page?.offset).toBe('2001-01-01');
      expect((await empty.send(`${ASSETS}?descending=1`)).json.prev_page.offset).toBe('');
    });

    it.each(['', '&descending=1'])('leads to the entries before the first one (%s)', async (direction) => {
      const first = await list(`?limit=3${direction}`);
      const second: Page = (await registry.send(first.next_page.path)).json;
      const back: Page = (await registry.send(second.prev_page?.path as string)).json;
      expect(ids(back).toReversed()).toEqual(ids(first));
    });

    it('keeps the original parameters', async () => {
      const { prev_page: prev } = await list('?offset=2017-01-01&limit=3&x=1&acc_token=secret');
      const parameters = Object.fromEntries(new URLSearchParams(prev?.path.split('?')[1]));
      expect(parameters).toEqual({ offset: prev?.offset, limit: '3', x: '1', descending: expect.any(String) });
      expect(prev?.uri).toBe(registry.url + prev?.path);
    });
  });
});
