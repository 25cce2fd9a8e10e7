import { describe, expect, it } from '@jest/globals';
import { AssetTypes } from '../asset-types/asset-types.js';
import { Custodian, Items, Item, Nested, Address, Text } from '../asset-types/vocabulary.js';
import type { AssetType } from '../asset-types/asset-type.js';
import * as builtIn from '../asset-types/installed.js';
import compound from '../asset-types/compound/compound.example.json' with { type: 'json' };
import type { ReadAsset } from '../database/readers/asset-row.js';
import type { IndexedAsset } from '../database/search/indexed-asset.js';
import { EncodedText } from '../platform/text/encoded-text.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import { SearchableAssets } from './searchable-assets.js';
import { classificationToken, classificationTokens, custodianToken } from './tokens.js';

const searchable = new SearchableAssets(new AssetTypes(Object.values(builtIn)), new RegistryTime('Europe/Kyiv'));

function asset(fields: object, assetType = 'basic'): ReadAsset {
  const body = EncodedText.from(Buffer.from(JSON.stringify(fields)));
  const id = 'a'.repeat(32);
  const [assetId, status, owner] = ['UA-2026-11-21-000001', 'pending', 'broker'];
  return { id, assetId, assetType, status, owner, relatedLot: null, body, createdUs: 1, modifiedUs: 2 };
}

const tokensIn = ({ terms }: IndexedAsset): string[] => terms.split(' ');

describe('an asset of 1 MiB', () => {
  const { assetType, ...fields } = compound.data;
  const [item] = fields.items;
  const indexedOf = (regions: string[], more: object = {}): IndexedAsset => {
    const items = regions.map((region) => ({ ...item, address: { ...item?.address, region } }));
    return searchable.indexed(asset({ ...fields, items, ...more }, assetType));
  };
  const long = 'а'.repeat(300);
  const wide = (count: number): string => '\ufdfa'.repeat(count);
  const identifier = { scheme: wide(2_000), id: 'а-б '.repeat(500) };

  it.each([
    ['many regions', () => indexedOf(Array.from({ length: 1_000 }, (_, i) => i + long))],
    ['wide words', () => indexedOf([], { title: '\u3316'.repeat(2_000), assetCustodian: { identifier } })],
    ['marks in disorder', () => indexedOf([], { title: `а${'\u0315'.repeat(25_000)}${'\u0316'.repeat(25_000)}` })],
  ])('with %s is indexed within bounds of size and time', (_, make) => {
    const began = process.cpuUsage();
    const { regions, ...made } = make();
    const tokens = tokensIn(made as IndexedAsset).join(' ');
    expect(process.cpuUsage(began).user / 1_000).toBeLessThan(1_000);
    expect(tokens.length).toBeLessThan(200_000);
    expect(regions.length).toBeLessThanOrEqual(50);
    for (const { key, name } of regions) expect(Math.max(key.length, name.length)).toBeLessThanOrEqual(200);
  });

  it('is found by everything within the bounds and by nothing beyond', () => {
    const made = indexedOf(
      Array.from({ length: 60 }, (_, i) => `Край ${i}`),
      { title: `${'а '.repeat(999)} край світ` },
    );
    const tokens = tokensIn(made);
    expect(made.regions.map(({ name }) => name)).toEqual(Array.from({ length: 50 }, (_, i) => `Край ${i}`));
    expect(tokens).toContain('r:край49');
    expect(tokens).not.toContain('w:світ');
  });
});

describe('an unusual type', () => {
  class Part extends Item {
    @Nested(() => Address, { uk: 'Де', en: 'Where' }) where!: Address;
    @Nested(() => Custodian, { uk: 'Хто', en: 'Who', optional: true }) who?: Custodian;
  }
  class Own extends Address {
    @Text({ uk: 'Поверх', en: 'Floor', optional: true }) floor?: string;
  }
  class Odd {
    @Nested(() => Own, { uk: 'Місце', en: 'Place' }) place!: Own;
    @Items(() => Part, { uk: 'Частини', en: 'Parts' }) parts!: Part[];
  }
  const identified = (id: string): object => ({ identifier: { id }, address: { region: 'Сумська' } });
  const data = {
    place: { region: 'Київська' },
    parts: [{ where: { region: 'Львівська' }, who: identified('77-1') }, { where: { region: 'КИЇВСЬКА' } }],
  };
  const type = { name: 'odd', aliases: ['old'], dto: Odd } as unknown as AssetType;
  const types = { installed: [type], find: (name: string) => (['odd', 'old'].includes(name) ? type : undefined) };
  const own = new SearchableAssets(types as unknown as AssetTypes, new RegistryTime('UTC'));

  it('is indexed by its DTO', () => {
    const made = own.indexed(asset(data, 'old'));
    expect(made.regions.map(({ key }) => key)).toEqual(['київська', 'львівська']);
    const tokens = tokensIn(made);
    expect(tokens).toEqual(expect.arrayContaining(['c:771', 't:odd', 'r:львівська']));
    expect(tokens.join(' ')).not.toContain('сумська');
  });

  it('that was removed may have a value of another form', () => {
    const valueOf = (value: unknown): unknown => own.indexed(asset({ value }, 'gone')).value;
    expect(valueOf({ currency: 'UAH', amount: 5 })).toEqual({ currency: 'UAH', amount: 5 });
    for (const other of [{ amount: 5 }, { currency: 7, amount: 5 }, 'much']) expect(valueOf(other)).toBeUndefined();
  });

  it('changes the version of the index only with its searchable fields', () => {
    class More extends Part {
      @Text({ uk: 'Примітка', en: 'Note', optional: true, searchable: true }) note?: string;
    }
    class Searched {
      @Nested(() => Own, { uk: 'Місце', en: 'Place' }) place!: Own;
      @Items(() => More, { uk: 'Частини', en: 'Parts' }) parts!: More[];
    }
    class Renamed {
      @Nested(() => Own, { uk: 'Де', en: 'Where' }) place!: Own;
      @Items(() => Part, { uk: 'Частини', en: 'Parts' }) parts!: Part[];
      @Text({ uk: 'Примітка', en: 'Note', optional: true }) note?: string;
    }
    const versionWith = (dto: AssetType['dto']): string =>
      new SearchableAssets({ installed: [{ ...type, dto }] } as unknown as AssetTypes, new RegistryTime('UTC')).version;
    expect(versionWith(Odd)).toBe(own.version);
    expect(versionWith(Searched as AssetType['dto'])).not.toBe(own.version);
    expect(versionWith(Renamed as AssetType['dto'])).toBe(own.version);
  });
});

it('an asset whose amount was erased is found by its currency', () => {
  const made = searchable.indexed(asset({ value: { currency: 'UAH' } }));
  expect(made.value).toBeUndefined();
  expect(tokensIn(made)).toContain('v:UAH'.replaceAll(/[A-Z]/g, (letter) => `:${letter.charCodeAt(0).toString(16)}:`));
});

it('an assetID is found by its day, month and year, also with a prefix of several parts', () => {
  const row = { ...asset({}), assetId: 'UA-AR-DGF-2026-11-21-000282' };
  const found = tokensIn(searchable.indexed(row));
  const day = ['2026', '202611', '20261121'];
  const codes = [...day, '20261121000282', '000282', ...day.map((one) => `uaardgf${one}`), 'uaardgf20261121000282'];
  expect(found).toEqual(expect.arrayContaining(codes.map((code) => `c:${code}`)));
});

it('a region of Ukraine has one name for all spellings; others keep theirs without invisible characters', () => {
  const named = (region: string): unknown => searchable.indexed(asset({ address: { region } })).regions[0];
  for (const name of ['Lviv', 'Львiвська обл.', '\u202eЛьвівська область'])
    expect(named(name)).toEqual({ key: 'львівська', name: 'Львівська область' });
  expect(named(' Край\u202e\n')).toEqual({ key: 'край', name: 'Край' });
});

it('codes of any length differ from others with the same prefix', () => {
  const long = '7'.repeat(1_000);
  expect(classificationToken('cpv', '34')).toBe(classificationToken('CPV', '34'));
  expect(classificationTokens('CPV', '34')).toContain(classificationToken(undefined, '34'));
  for (const other of [`${long}8`, long.slice(0, 200)]) {
    expect(custodianToken(other)).not.toBe(custodianToken(long));
    expect(classificationToken('CPV', other)).not.toBe(classificationToken('CPV', long));
  }
  const tokens = classificationTokens('CPV', long);
  expect(tokens).toContain(classificationToken(undefined, long));
  expect(tokens).toEqual(expect.arrayContaining(['', '7', long].map((code) => classificationToken('CPV', code))));
  expect(tokens.join(' ').length).toBeLessThan(1_000);
});
