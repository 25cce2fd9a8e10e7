import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  ASSETS,
  assetBody,
  assetBodyWith,
  assetTextWith,
  change,
  changeAs,
  create,
  LOT,
  patchOf,
  post,
  publish,
  read,
} from '../support/assets.js';
import { embedded } from '../support/databases.js';
import { beginning, expectError } from '../support/errors.js';
import { TestRegistry, zoneAtNoon } from '../support/registry.js';
import { servedRegistry } from '../support/served-registry.js';
import { addKey, runSql } from '../support/rows.js';

const REQUIRED_TEXTS = [
  'title',
  'classification.scheme',
  'classification.id',
  'classification.description',
  'unit.code',
  'unit.name',
  'address.countryName',
  'assetCustodian.name',
  'assetCustodian.identifier.scheme',
  'assetCustodian.identifier.id',
  'assetCustodian.address.countryName',
  'assetCustodian.contactPoint.name',
  'assetCustodian.contactPoint.telephone',
];
const ADDRESS_TEXTS = ['postalCode', 'region', 'streetAddress', 'locality'];
const OPTIONAL_TEXTS = [
  'description',
  ...ADDRESS_TEXTS.map((name) => `address.${name}`),
  ...ADDRESS_TEXTS.map((name) => `assetCustodian.address.${name}`),
];
const REQUIRED_OBJECTS = [
  'classification',
  'value',
  'unit',
  'address',
  'assetCustodian',
  'assetCustodian.identifier',
  'assetCustodian.contactPoint',
];
const NUMBERS = ['value.amount', 'quantity'];
const REQUIRED = [...REQUIRED_TEXTS, ...REQUIRED_OBJECTS, ...NUMBERS, 'value.currency'];
const OPTIONAL = [
  ...OPTIONAL_TEXTS,
  'assetCustodian.address',
  'assetCustodian.identifier.uri',
  'value.valueAddedTaxIncluded',
];
const TEXT_MEMBERS = ['id', 'assetID', 'assetType', 'status', 'title', 'classification', 'value', 'unit', 'quantity'];
const ALWAYS_SHOWN = [...TEXT_MEMBERS, 'address', 'assetCustodian', 'owner', 'date', 'dateModified'];

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}[+-]\d{2}:\d{2}$/;
const CLOCK_TOLERANCE_MS = 1_000;

const at = (asset: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], asset);

describe.each(embedded)('the fields of an asset on $name', (kind) => {
  const registry = servedRegistry(kind);

  describe('fields that the service sets', () => {
    it('id is a UUID version 4 as 32 lower-case hex characters', async () => {
      const { id } = await create(registry);
      expect(id).toMatch(/^[0-9a-f]{12}4[0-9a-f]{3}[89ab][0-9a-f]{15}$/);
    });

    it('assetID is UA, the day of creation and six digits', async () => {
      const { asset } = await create(registry);
      expect(asset.assetID).toMatch(/^UA-\d{4}-\d{2}-\d{2}-\d{6}$/);
      expect(asset.assetID.slice(3, 13)).toBe(asset.date.slice(0, 10));
    });

    it('the day of an assetID is the day in the registry’s time zone', () =>
      TestRegistry.during(kind, { TIME_ZONE: 'Pacific/Kiritimati' }, async (other) => {
        const day = (): string => new Intl.DateTimeFormat('sv-SE', { timeZone: 'Pacific/Kiritimati' }).format();
        const before = day();
        const { asset } = await create(other);
        expect([before, day()]).toContain(asset.assetID.slice(3, 13));
      }));

    it('the numbers of a day begin at 000001 and go up by one', () =>
      TestRegistry.during(kind, { TIME_ZONE: zoneAtNoon() }, async (other) => {
        const numbers = [];
        for (let i = 0; i < 3; i++) numbers.push((await create(other)).asset.assetID.slice(14));
        expect(numbers).toEqual(['000001', '000002', '000003']);
      }));

    it('past 999999 the number of an assetID widens', () =>
      TestRegistry.during(kind, { TIME_ZONE: zoneAtNoon() }, async (other) => {
        await create(other);
        await runSql(other, 'UPDATE asset_sequence SET last_number = 999999');
        expect((await create(other)).asset.assetID).toMatch(/-1000000$/);
      }));

    it('the prefix of an assetID is a setting', () =>
      TestRegistry.during(kind, { ASSET_ID_PREFIX: 'ZZ9' }, async (other) => {
        expect((await create(other)).asset.assetID).toMatch(/^ZZ9-\d{4}-/);
      }));

    it('owner is the name of the account, never its key', async () => {
      const key = await addKey(registry, { account: 'land-office' });
      const { asset } = await create(registry, {}, key);
      expect(asset['owner']).toBe('land-office');
    });

    it('date and dateModified are the time of creation at first', async () => {
      const before = Date.now() - CLOCK_TOLERANCE_MS;
      const { asset } = await create(registry);
      expect(Date.parse(asset.date)).toBeGreaterThan(before);
      expect(Date.parse(asset.date)).toBeLessThan(Date.now() + CLOCK_TOLERANCE_MS);
      expect(asset.dateModified).toBe(asset.date);
    });

    it('a change leaves date alone and sets dateModified to a later time', async () => {
      const owned = await create(registry);
      const { data } = (await change(registry, owned, { title: 'Інша' })).json;
      expect(data.date).toBe(owned.asset.date);
      expect(data.dateModified > owned.asset.dateModified).toBe(true);
    });

    it('times have six fraction digits and the offset of Kyiv by default', async () => {
      const { asset } = await create(registry);
      expect(asset.date).toMatch(TIME);
      expect(asset.date).toMatch(/\+0[23]:00$/);
    });

    it('times are in the registry’s time zone', () =>
      TestRegistry.during(kind, { TIME_ZONE: 'Asia/Kathmandu' }, async (other) => {
        const { date } = (await create(other)).asset;
        expect(date).toMatch(TIME);
        expect(date.slice(-6)).toBe('+05:45');
        // An hour would be a zone taken for another.
        expect(Math.abs(Date.parse(date) - Date.now())).toBeLessThan(600_000);
      }));
  });

  describe('assetType', () => {
    it('is required', async () => {
      expectError(await post(registry, assetBodyWith('assetType', undefined)), 422, 'body', 'assetType');
    });

    it.each(['castle', 'Basic', '', '__proto__', 5, null])(
      'which is not the name of an installed type is 422: %p',
      async (assetType) => {
        expectError(await post(registry, assetBody({ assetType })), 422, 'body', 'assetType');
      },
    );
  });

  describe('relatedLot', () => {
    it('is absent while the asset is linked to no lot', async () => {
      expect((await create(registry)).asset).not.toHaveProperty('relatedLot');
    });

    it.each(['A'.repeat(32), 'a'.repeat(23), 'a'.repeat(33), 'g'.repeat(32), '', 5, true, {}, [LOT]])(
      'which is not 24 to 32 lower-case hex characters is 422: %p',
      async (relatedLot) => {
        const { id } = await publish(registry);
        expectError(await changeAs(registry, 'concierge', id, { relatedLot }), 422, 'body', 'relatedLot');
      },
    );
  });

  it.each([24, 27, 32])('relatedLot may have %d hex characters', async (length) => {
    const { id } = await publish(registry);
    const relatedLot = randomBytes(16).toString('hex').slice(0, length);
    const linked = await changeAs(registry, 'concierge', id, { relatedLot });
    expect([linked.status, linked.json.data.relatedLot]).toEqual([200, relatedLot]);
  });

  describe('required and optional fields', () => {
    it.each(REQUIRED)('%s is required', async (path) => {
      expectError(await post(registry, assetBodyWith(path, undefined)), 422, 'body', path);
    });

    it.each(OPTIONAL)('%s is optional, and absent when it was left out', async (path) => {
      const reply = await post(registry, assetBodyWith(path, undefined));
      expect(reply.status).toBe(201);
      const shown = path === 'value.valueAddedTaxIncluded' ? true : undefined;
      expect(at(reply.json.data, path)).toBe(shown);
      expect(reply.text).not.toContain('null');
    });

    it.each([...REQUIRED, ...OPTIONAL])('null is no value on POST: %s', async (path) => {
      expectError(await post(registry, assetBodyWith(path, null)), 422, 'body', path);
    });
  });

  describe('kinds', () => {
    const notOfKind = (kindly: readonly unknown[], paths: readonly string[]): [string, unknown][] =>
      paths.flatMap((path) => kindly.map((value): [string, unknown] => [path, value]));

    it.each([
      ...notOfKind([5, {}], [...REQUIRED_TEXTS, ...OPTIONAL_TEXTS]),
      ...notOfKind([5, []], ['value.currency', 'assetCustodian.identifier.uri']),
      ...notOfKind(['5', true, [5]], NUMBERS),
      ...notOfKind(['true', 0], ['value.valueAddedTaxIncluded']),
      ...notOfKind(['x', []], [...REQUIRED_OBJECTS, 'assetCustodian.address']),
    ])('%s of another kind is 422: %p', async (path, value) => {
      expectError(await post(registry, assetBodyWith(path, value)), 422, 'body', path);
    });
  });

  describe('unknown fields', () => {
    const PARENTS = [
      '',
      'classification.',
      'value.',
      'unit.',
      'address.',
      'assetCustodian.',
      'assetCustodian.identifier.',
      ...'assetCustodian.address. assetCustodian.contactPoint.'.split(' '),
    ];
    const NAMES = ['colour', '__proto__', 'constructor'];
    const PATHS = PARENTS.flatMap((parent) => NAMES.map((name) => parent + name));

    it.each(PATHS)('on POST %s is refused as a rogue field', async (path) => {
      expectError(await post(registry, assetTextWith(path, '{"a":1}')), 422, 'body', path, beginning('Rogue field'));
    });

    it.each(PATHS)('on PATCH %s is refused as a rogue field', async (path) => {
      const owned = await create(registry);
      const reply = await change(registry, owned, patchOf(path, 'x'));
      expectError(reply, 422, 'body', path, beginning('Rogue field'));
      expect((await read(registry, owned)).json.data).toEqual(owned.asset);
    });

    it('with a typing error is refused with the name that was probably meant', async () => {
      const nested = await post(registry, assetTextWith('value.amuont', '5'));
      expectError(nested, 422, 'body', 'value.amuont', 'Rogue field: did you mean amount?');
      const reply = await change(registry, await create(registry), { Title: 'Земля' });
      expectError(reply, 422, 'body', 'Title', 'Rogue field: did you mean title?');
    });
  });

  describe('internal columns', () => {
    it('nothing but the asset’s fields is ever answered', async () => {
      const owned = await publish(registry);
      const asset = (await read(registry, owned)).json.data;
      expect(Object.keys(asset).toSorted()).toEqual(ALWAYS_SHOWN.toSorted());
      const page = (await registry.send(`${ASSETS}?opt_fields=*&limit=1000`)).json;
      expect(page.data.find(({ id }: { id: string }) => id === owned.id)).toEqual(asset);
    });

    it('internal columns cannot be asked for', async () => {
      await publish(registry);
      const names = 'tokenDigest,token_digest,version,feedUs,feed_us,body,owner_token';
      const page = (await registry.send(`${ASSETS}?opt_fields=${names}&limit=1`)).json;
      expect(Object.keys(page.data[0])).toEqual(['id', 'dateModified']);
    });
  });
});
