import { beforeEach, describe, expect, it } from '@jest/globals';
import { ASSETS, change, create, type JsonObject, type Owned, patchOf, read } from '../support/assets.js';
import { embedded } from '../support/databases.js';
import { expectError } from '../support/errors.js';
import type { Reply } from '../support/registry.js';
import { servedRegistry } from '../support/served-registry.js';

const REQUIRED = 'title address value.amount assetCustodian.contactPoint.telephone'.split(' ');
const OPTIONAL = 'description address.postalCode assetCustodian.identifier.uri assetCustodian.address'.split(' ');
const valueAt = (asset: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as JsonObject | undefined)?.[name], asset);

describe.each(embedded)('changing an asset on $name', (kind) => {
  const registry = servedRegistry(kind);
  let owned: Owned;

  const changeIf = (ifMatch: string, data: JsonObject): Promise<Reply> =>
    registry.send(`${ASSETS}/${owned.id}`, {
      method: 'PATCH',
      key: 'broker',
      headers: { 'If-Match': ifMatch, 'X-Access-Token': owned.token },
      body: { data },
    });
  const etag = async (): Promise<string> => (await read(registry, owned)).headers.get('etag') ?? '';
  const stored = async (): Promise<JsonObject> => (await read(registry, owned)).json.data;

  beforeEach(async () => {
    owned = await create(registry, { description: 'Опис' });
  });

  describe('merging', () => {
    it('PATCH answers 200 with the changed asset alone', async () => {
      const reply = await change(registry, owned, { title: 'Інша' });
      expect(reply.status).toBe(200);
      expect(reply.json).toEqual({ data: { ...owned.asset, title: 'Інша', dateModified: expect.any(String) } });
    });

    it('nested objects merge', async () => {
      const data = { assetCustodian: { contactPoint: { telephone: '1' } }, value: { amount: 2 } };
      const { data: changed } = (await change(registry, owned, data)).json;
      const before = owned.asset as JsonObject;
      const custodian = before['assetCustodian'] as { contactPoint: JsonObject };
      expect(changed).toEqual({
        ...before,
        dateModified: expect.any(String),
        value: { ...(before['value'] as JsonObject), amount: 2 },
        assetCustodian: {
          ...custodian,
          contactPoint: { ...custodian.contactPoint, telephone: '1' },
        },
      });
    });

    it.each(OPTIONAL)('null removes the optional %s', async (path) => {
      expect(valueAt(owned.asset, path)).toBeDefined();
      const reply = await change(registry, owned, patchOf(path, null));
      expect(reply.status).toBe(200);
      expect(valueAt(reply.json.data, path)).toBeUndefined();
      expect(reply.text).not.toContain('null');
      expect(await stored()).toEqual(reply.json.data);
    });

    it.each(REQUIRED)('null for the required %s is 422', async (path) => {
      expectError(await change(registry, owned, patchOf(path, null)), 422, 'body', path);
      expect(await stored()).toEqual(owned.asset);
    });

    it('null resets valueAddedTaxIncluded to true', async () => {
      await change(registry, owned, { value: { valueAddedTaxIncluded: false } });
      const reply = await change(registry, owned, { value: { valueAddedTaxIncluded: null } });
      expect(reply.json.data.value).toEqual({ ...(owned.asset['value'] as object), valueAddedTaxIncluded: true });
    });

    it('null for an optional field that is absent changes nothing', async () => {
      await change(registry, owned, { description: null });
      const before = await stored();
      const reply = await change(registry, owned, { description: null, relatedLot: null });
      expect([reply.status, reply.json.data]).toEqual([200, before]);
    });

    it('an absent object is created from the sent members', async () => {
      await change(registry, owned, { assetCustodian: { address: null } });
      const address = { countryName: 'Україна' };
      const reply = await change(registry, owned, { assetCustodian: { address } });
      expect(reply.json.data.assetCustodian.address).toEqual(address);
    });

    it.each(['title', 'address'])('an array replaces the value, which is 422: %s', async (path) => {
      expectError(await change(registry, owned, patchOf(path, [1])), 422, 'body', path);
    });
  });

  describe('the examples of RFC 7396, appendix A, with fields of an asset', () => {
    const bare = { description: undefined };
    it.each<[string, JsonObject, JsonObject, JsonObject]>([
      ['{"a":"b"} and {"a":"c"}', { title: 'b' }, { title: 'c' }, { title: 'c' }],
      ['{"a":"b"} and {"b":"c"}', { title: 'b', ...bare }, { description: 'c' }, { title: 'b', description: 'c' }],
      ['{"a":"b"} and {"a":null}', { description: 'b' }, { description: null }, bare],
      [
        '{"a":"b","b":"c"} and {"a":null}',
        { description: 'b', title: 'c' },
        { description: null },
        { ...bare, title: 'c' },
      ],
      [
        '{"a":{"b":"c"}} and {"a":{"b":"d","c":null}}',
        { address: { countryName: 'c' } },
        { address: { countryName: 'd', region: null } },
        { address: { countryName: 'd' } },
      ],
      ['{"e":null} and {"a":1}, since null and absent are the same', bare, { quantity: 1 }, { ...bare, quantity: 1 }],
    ])('%s', async (_example, target, patch, result) => {
      const one = await create(registry, target);
      const reply = await change(registry, one, patch);
      const expected: JsonObject = { ...one.asset, dateModified: expect.any(String), ...result };
      expect([reply.status, reply.json.data]).toEqual([200, expected]);
    });

    it.each<[string, JsonObject, string]>([
      ['{"a":["b"]} or {"a":"c"} and {"a":["b"]}', { title: ['b'] }, 'title'],
      ['{"a":[{"b":"c"}]} and {"a":[1]}', { address: [1] }, 'address'],
      ['{"a":"c"} and {"a":{"b":"c"}}', { title: { b: 'c' } }, 'title'],
      [
        '{} and {"a":{"bb":{"ccc":null}}}, which makes an empty object',
        { assetCustodian: { address: { region: null } } },
        'assetCustodian.address.countryName',
      ],
    ])('%s: 422, because the result is not a valid asset', async (_example, patch, name) => {
      await change(registry, owned, { assetCustodian: { address: null } });
      const before = await stored();
      expectError(await change(registry, owned, patch), 422, 'body', name);
      expect(await stored()).toEqual(before);
    });
  });

  describe('the result is validated as a whole', () => {
    it('an absent object needs all of its required members', async () => {
      await change(registry, owned, { assetCustodian: { address: null } });
      const reply = await change(registry, owned, { assetCustodian: { address: { region: 'Київ' } } });
      expectError(reply, 422, 'body', 'assetCustodian.address.countryName');
    });

    it('a rogue field is refused with null too', async () => {
      expectError(await change(registry, owned, { colour: null }), 422, 'body', 'colour', 'Rogue field');
      const nested = await change(registry, owned, { unit: { colour: null } });
      expectError(nested, 422, 'body', 'unit.colour', 'Rogue field');
    });
  });

  describe('a PATCH that changes nothing', () => {
    it.each<[string, (asset: JsonObject) => JsonObject]>([
      ['empty', () => ({})],
      ['an empty nested object', () => ({ assetCustodian: { address: {} } })],
      ['the whole asset', (asset) => asset],
    ])('is 200 and leaves dateModified and ETag alone: %s', async (_what, data) => {
      const before = await read(registry, owned);
      const reply = await change(registry, owned, data(owned.asset));
      expect([reply.status, reply.text]).toEqual([200, before.text]);
      expect(reply.headers.get('etag')).toBe(before.headers.get('etag'));
      expect((await read(registry, owned)).text).toBe(before.text);
    });

    it('is the same number written in another way', async () => {
      const { id, token, asset } = await create(registry, { quantity: 100 });
      const reply = await registry.send(`${ASSETS}/${id}?acc_token=${token}`, {
        method: 'PATCH',
        key: 'broker',
        headers: { 'Content-Type': 'application/json' },
        body: '{"data":{"quantity":1e2,"value":{"amount":100.00}}}',
      });
      expect([reply.status, reply.json.data]).toEqual([200, asset]);
    });
  });

  describe('a whole asset that was read before the last change', () => {
    it.each<[string, string, string, (older: Owned['asset']) => Promise<Reply>]>([
      [
        'its owner',
        'dateModified',
        'This field may not be set by this actor: ',
        (older) => change(registry, owned, older),
      ],
      [
        'its owner, who has published it meanwhile',
        'data',
        "Can't update asset in current (pending) status: from here the owner may move it to deleted; ",
        async (older) => {
          await change(registry, owned, { status: 'pending' });
          return change(registry, owned, older);
        },
      ],
    ])('reports to %s that the asset has changed, and when', async (_who, name, text, sendBack) => {
      await change(registry, owned, { title: 'Інша' });
      const reply = await sendBack(owned.asset);
      const { dateModified } = await stored();
      const description = `${text}the asset has changed since it was read, at ${String(dateModified)}`;
      expect(reply.json.errors).toEqual([{ location: 'body', name, description }]);
    });
  });

  describe('If-Match', () => {
    it.each<[string, (tag: string) => string]>([
      ['the current ETag', (tag) => tag],
      ['*', () => '*'],
      ['a list with the current ETag', (tag) => `"x", ${tag} , W/"y"`],
    ])('%s permits the change', async (_what, value) => {
      const reply = await changeIf(value(await etag()), { title: 'Інша' });
      expect([reply.status, reply.json.data.title]).toEqual([200, 'Інша']);
    });

    it.each<[string, (tag: string) => string]>([
      ['another ETag', () => '"x"'],
      ['the current ETag as a weak one', (tag) => `W/${tag}`],
      ['the current ETag without quotes', (tag) => tag.slice(1, -1)],
    ])('%s is 412, and nothing is changed', async (_what, value) => {
      const reply = await changeIf(value(await etag()), { title: 'Інша' });
      expectError(reply, 412, 'header', 'If-Match');
      expect(await stored()).toEqual(owned.asset);
    });

    it('without the current ETag a PATCH that changes nothing is 412 too', async () => {
      expectError(await changeIf('"x"', {}), 412, 'header', 'If-Match');
    });
  });
});
