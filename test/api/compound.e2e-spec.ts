import { beforeEach, describe, expect, it } from '@jest/globals';
import example from '../../src/asset-types/compound/compound.example.json' with { type: 'json' };
import { ASSETS, change, createFrom, type JsonObject, type Owned, post, read } from '../support/assets.js';
import { command } from '../support/commands.js';
import { embedded } from '../support/databases.js';
import { expectError, expectFaultyFields } from '../support/errors.js';
import type { Reply } from '../support/registry.js';
import { servedRegistry } from '../support/served-registry.js';

interface Item extends JsonObject {
  id: string;
  quantity: number;
  address: JsonObject;
}

const ID = /^[0-9a-f]{32}$/;
const ITEM = example.data.items[0] as JsonObject;
const OTHER_ID = 'c'.repeat(32);
const withItems = (items: unknown): { data: JsonObject } => ({ data: { ...example.data, items } });
const itemsOf = (asset: JsonObject): [Item, Item] => asset['items'] as [Item, Item];

describe.each(embedded)('compound assets on $name', (kind) => {
  const registry = servedRegistry(kind, { BODY_LIMIT: '1mb' });
  let owned: Owned;
  let building: Item;
  let land: Item;

  beforeEach(async () => {
    owned = await createFrom(registry, example);
    [building, land] = itemsOf(owned.asset);
  });

  const changed = async (items: unknown): Promise<Item[]> => {
    const reply = await change(registry, owned, { items });
    expect(`${reply.status} ${reply.text}`).toMatch(/^200 /);
    expect((await read(registry, owned)).json).toEqual(reply.json);
    return reply.json.data.items;
  };
  const expectRefused = async (items: unknown, names: string[]): Promise<void> => {
    expectFaultyFields(await change(registry, owned, { items }), 422, names);
    expect((await read(registry, owned)).json.data).toEqual(owned.asset);
  };

  describe('POST', () => {
    it('adds an id to every item and keeps the sent fields', () => {
      expect(itemsOf(owned.asset)).toMatchObject(example.data.items);
      for (const { id } of itemsOf(owned.asset)) expect(id).toMatch(ID);
      expect(building.id).not.toBe(land.id);
    });

    it.each<[string, unknown, string[]]>([
      ['none', [], ['items']],
      ['an object of items', { [OTHER_ID]: ITEM }, ['items']],
      ['what are no objects', [null, 5, [], 'x'], ['items.0', 'items.1', 'items.2', 'items.3']],
      ['two of the same id', [0, 1].map(() => ({ ...ITEM, id: OTHER_ID })), ['items']],
      ['ids that are none', ['', 'A'.repeat(32), null].map((id) => ({ ...ITEM, id })), [0, 1, 2].map((i) => `items.${i}.id`)], // prettier-ignore
      ['faulty fields', [ITEM, { ...ITEM, quantity: -1, unit: { code: '' } }], ['items.1.quantity', 'items.1.unit.code', 'items.1.unit.name']], // prettier-ignore
      ['unknown fields', [{ ...ITEM, x: null, unit: { ...(ITEM['unit'] as object), y: 1 } }], ['items.0.x', 'items.0.unit.y']], // prettier-ignore
      ['more than are kept', Array.from({ length: 1_001 }, () => ({})), ['items']],
    ])('items may not be %s', async (_, items, names) => {
      expectFaultyFields(await post(registry, withItems(items)), 422, names);
    });

    it('with an Idempotency-Key has the same ids when it is repeated, after changes too', async () => {
      const send = (): Promise<Reply> =>
        registry.send(ASSETS, { method: 'POST', key: 'broker', body: example, headers: { 'Idempotency-Key': 'one' } });
      const first = await send();
      const { id } = first.json.data;
      const again = await send();
      expect([again.status, again.text]).toEqual([201, first.text]);
      const [item] = itemsOf(first.json.data);
      const created = { id, token: first.json.access.token, asset: first.json.data };
      expect((await change(registry, created, { items: { [item.id]: null }, title: 'x' })).status).toBe(200);
      expect((await send()).text).toBe(first.text);
    });
  });

  describe('PATCH with a list', () => {
    it('merges the items that it names, and keeps the others', async () => {
      const items = [{ id: land.id, quantity: 7, address: { locality: null, region: 'Київ' } }];
      const { locality: _, ...address } = land.address;
      expect(await changed(items)).toEqual([
        building,
        { ...land, quantity: 7, address: { ...address, region: 'Київ' } },
      ]);
    });

    it('adds the items that it does not know, with the id that they bring or a new one', async () => {
      const [, , third, fourth] = await changed([ITEM, { ...ITEM, id: OTHER_ID }]);
      expect(third).toEqual({ ...ITEM, id: expect.stringMatching(ID) });
      expect(fourth).toEqual({ ...ITEM, id: OTHER_ID });
    });

    it.each<[string, (asset: JsonObject) => JsonObject]>([
      ['the whole asset', (asset) => asset],
      ['an id alone', (asset) => ({ items: [{ id: itemsOf(asset)[0].id }] })],
      ['the removal of what is not there', () => ({ items: { [OTHER_ID]: null } })],
    ])('that changes nothing leaves the ETag alone: %s', async (_, data) => {
      const before = await read(registry, owned);
      const reply = await change(registry, owned, data(owned.asset));
      expect([reply.status, reply.text]).toEqual([200, before.text]);
      expect(reply.headers.get('etag')).toBe(before.headers.get('etag'));
    });

    it('may name an item once', async () => {
      const twice = [1, 2].map((quantity) => ({ ...building, quantity }));
      await expectRefused(twice, ['items']);
    });

    it.each<[string, (id: string) => unknown, string[]]>([
      ['an unknown field deeper down', (id) => [{ id, unit: { x: null } }], ['items.0.unit.x']],
      ['a required field that is null', (id) => [{ id, quantity: null }], ['items.0.quantity']],
      ['a malformed id', () => [{ ...ITEM, id: 'x' }], ['items.2.id']],
      ['too many', () => Array.from({ length: 999 }, () => ({})), ['items']],
    ])('is refused with %s', async (_, items, names) => {
      await expectRefused(items(building.id), names);
    });

    it('is refused if the asset would be too large', async () => {
      const large = Array.from({ length: 9 }, () => ({ ...ITEM, description: 'я'.repeat(50_000) }));
      await changed(large);
      expectError(await change(registry, owned, { items: large }), 422, 'body', 'data');
    });
  });

  it('the audit lists its items as one field', async () => {
    await change(registry, owned, { status: 'pending', items: [{ id: land.id, quantity: 9 }] });
    const { output } = await command(['audit', '--json', '--asset', owned.id], { DATABASE_URL: registry.databaseUrl });
    expect(output.split('\n')[0]).toContain('"fields":["status","items"]');
  });

  describe('PATCH with the object of its items', () => {
    it('changes, adds and removes them by their ids', async () => {
      const items = { [building.id]: null, [land.id]: { quantity: 7 }, [OTHER_ID]: ITEM };
      expect(await changed(items)).toEqual([
        { ...land, quantity: 7 },
        { ...ITEM, id: OTHER_ID },
      ]);
    });

    it('leaves at least one', async () => {
      await changed({ [building.id]: null });
      expectError(await change(registry, owned, { items: { [land.id]: null } }), 422, 'body', 'items');
      expect((await read(registry, owned)).json.data.items).toEqual([land]);
    });

    it.each<[string, (id: string) => string, string[]]>([
      ['an unknown field', (id) => `{"${id}":{"x":1}}`, ['items.0.x']],
      ['__proto__ in an item', (id) => `{"${id}":{"__proto__":{"quantity":1}}}`, ['items.0.__proto__']],
      ['another id', (id) => `{"${id}":{"id":"${OTHER_ID}"}}`, ['items.0.id']],
      ['__proto__ as an id', () => `{"__proto__":${JSON.stringify(ITEM)}}`, ['items.2.id']],
      ['what is no item', (id) => `{"${id}":5}`, ['items.2']],
    ])('is refused with %s', async (_, items, names) => {
      const reply = await registry.send(`${ASSETS}/${owned.id}?acc_token=${owned.token}`, {
        method: 'PATCH',
        key: 'broker',
        headers: { 'Content-Type': 'application/json' },
        body: `{"data":{"items":${items(building.id)}}}`,
      });
      expectFaultyFields(reply, 422, names);
      expect((await read(registry, owned)).json.data).toEqual(owned.asset);
    });
  });
});
