import { describe, expect, it } from '@jest/globals';
import { pageContext } from '../../test/support/page-context.js';
import { AssetTypes } from '../asset-types/asset-types.js';
import { Address, Custodian, Item, Value } from '../asset-types/shared/parts.dto.js';
import { DateTime, Flag, Items, LongText, Nested, Quantity, Text } from '../asset-types/vocabulary.js';
import type { ReadAsset } from '../database/readers/asset-row.js';
import { EncodedText } from '../platform/text/encoded-text.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import { AssetViewModel } from './asset-view-model.js';
import { AssetPage } from './asset.page.js';
import { LANGUAGES } from './language.js';
import { ShownTimes } from './times.js';

const MAX_BYTES = 30 * 1024;
const LABEL = { uk: 'Дата і час, коли це було зроблено востаннє', en: 'The date and time when this was done last' };
const DATES = Array.from({ length: 12 }, (_, i) => `date${i}`);

class Thing extends Item {
  @LongText(LABEL) description!: string;
  @DateTime(LABEL) first!: string;
  @DateTime(LABEL) second!: string;
  @Flag(LABEL) isThere = true;
  @Nested(() => Address, LABEL) address!: Address;
}

/** A type with much of everything. */
class Large {
  @Text(LABEL) title!: string;
  @LongText(LABEL) description!: string;
  @Nested(() => Value, LABEL) value!: Value;
  @Nested(() => Value, LABEL) otherValue!: Value;
  @Quantity(LABEL) quantity!: number;
  @Nested(() => Address, LABEL) address!: Address;
  @Nested(() => Custodian, LABEL) custodian!: Custodian;
  @Items(() => Thing, LABEL) things!: Thing[];
}
for (const name of DATES) DateTime(LABEL)(Large.prototype, name);

const DATE = '2017-08-16T18:36:13+03:00';
const WHOLE = {
  title: '&'.repeat(2_000),
  description: '🚀"<'.repeat(10_000),
  value: { currency: 'UAH', amount: 999_999_999_999_999, valueAddedTaxIncluded: false },
  otherValue: { currency: 'UAH', amount: 0.000000001, valueAddedTaxIncluded: true },
  quantity: 123_456_789,
  address: { countryName: '<', region: 'Ж'.repeat(200) },
  custodian: {
    name: 'Ж'.repeat(200),
    identifier: { scheme: 'UA-EDR', id: 'Ж'.repeat(100) },
    contactPoint: { name: '<', telephone: '&' },
  },
  things: Array.from({ length: 1_000 }, (_, i) => ({
    id: String(i).padStart(32, '0'),
    description: 'Ж'.repeat(100),
    first: DATE,
    second: DATE,
    isThere: false,
    address: { countryName: '<'.repeat(200), region: '"'.repeat(200) },
  })),
  ...Object.fromEntries(DATES.map((name) => [name, DATE])),
};

const ASSET: Omit<ReadAsset, 'body'> = {
  id: '0'.repeat(32),
  assetId: 'UA-2026-11-21-000001',
  assetType: 'large',
  status: 'active',
  owner: '&'.repeat(100),
  relatedLot: 'a'.repeat(32),
  createdUs: 1_761_000_000_000_000,
  modifiedUs: 1_761_000_000_000_000,
};

describe('the page of an asset', () => {
  const types = new AssetTypes([
    { name: 'large', labels: LABEL, dto: Large, example: { data: { assetType: 'large', ...WHOLE } } },
  ]);
  const times = new ShownTimes(new RegistryTime('Europe/Kyiv'), 'Europe/Kyiv');
  const page = new AssetPage(times, {});
  const history = Array.from({ length: 201 }, (_, i) => ({
    modifiedUs: 1_761_000_000_000_000 - i * 1_000_000,
    status: i % 2 === 0 ? 'active' : 'pending',
    relatedLot: null,
    changed: DATES,
  }));
  const changes = new Map(
    Array.from({ length: 10 }, (_, index) => [index, { before: { ...WHOLE, title: 'x' }, after: WHOLE }]),
  );
  const { title: _title, ...others } = WHOLE;

  it('stays below 30 KB and shows stored values if its type is not installed', () => {
    const showRaw = (values: object): string => {
      const asset = { ...ASSET, body: EncodedText.from(Buffer.from(JSON.stringify(values))) };
      const parts = {
        brokerName: '&'.repeat(200),
        page: new AssetViewModel(asset, new AssetTypes([])),
        json: '{}',
        history,
        changes,
      };
      return page.show(parts, pageContext('en', '/assets/x'));
    };
    const { things, ...short } = { ...WHOLE, year: 1999, small: 1e-9, deep: { a: { b: { c: { d: [1] } } } } };
    expect(Buffer.byteLength(showRaw({ ...short, things, more: 'x'.repeat(50_000) }))).toBeLessThan(MAX_BYTES);
    for (const text of ['1999', '0.000000001', '{&quot;d&quot;:[1]}', '<bdi>currency</bdi>'])
      expect(showRaw(short)).toContain(text);
  });

  it.each(
    LANGUAGES.flatMap((language) =>
      [WHOLE, { ...others, title: 'Ж'.repeat(2_000) }].map((values) => [language, values] as const),
    ),
  )('stays below 30 KB for any type and values (%s)', (language, values) => {
    const asset = { ...ASSET, body: EncodedText.from(Buffer.from(JSON.stringify(values))) };
    const parts = {
      brokerName: '&'.repeat(200),
      page: new AssetViewModel(asset, types),
      json: JSON.stringify(values),
      history,
      changes,
    };
    const shown = page.show(parts, pageContext(language, '/assets/x'));
    expect(Buffer.byteLength(shown)).toBeLessThan(MAX_BYTES);
    expect(shown).toContain('id="timeline"');
    expect(shown).toMatch(/<\/html>\s*$/);
  });

  it('has the publication in its history after many changes', () => {
    const asset = { ...ASSET, body: EncodedText.from(Buffer.from(JSON.stringify(WHOLE))) };
    const long = Array.from({ length: 1_001 }, (_, i) => ({ ...history[0]!, modifiedUs: ASSET.modifiedUs - i }));
    const first = { ...history[0]!, status: 'published', changed: undefined, modifiedUs: 1 };
    const parts = { page: new AssetViewModel(asset, types), json: '{}', history: long, changes: new Map(), first };
    const shown = /<ol id="timeline">[\s\S]*?<\/ol>/.exec(page.show(parts, pageContext('en', '/assets/x')))?.[0];
    expect(shown).toMatch(/Earlier changes<\/li>[\s\S]*<span class="pill other">published<\/span>[\s\S]*<\/ol>$/);
  });

  describe('the link to assets of the same custodian, broker or region', () => {
    const showIn = (code: string, canSearch: boolean, region = 'м. Київ'): string => {
      const custodian = { ...WHOLE.custodian, identifier: { scheme: 'UA-EDR', id: code } };
      const values = { title: 'x', address: { countryName: 'x', region }, custodian };
      const asset = { ...ASSET, owner: 'A & B', body: EncodedText.from(Buffer.from(JSON.stringify(values))) };
      const parts = {
        brokerName: '&'.repeat(200),
        page: new AssetViewModel(asset, types),
        json: '{}',
        history,
        changes,
      };
      return new AssetPage(times, {}).show(parts, { ...pageContext('en', '/assets/x'), hasSearch: canSearch });
    };
    const linked = (shown: string): string[] =>
      [...shown.matchAll(/href="\/\?(custodian|owner|region)=([^"]*)&amp;lang=en"/g)].map(
        ([, name, value]) => `${name} ${decodeURIComponent(String(value))}`,
      );

    it('is there', () => {
      expect(linked(showIn('00037256', true))).toEqual(['custodian 00037256', 'owner A & B', 'region м. Київ']);
    });

    it('is missing if the search would not read the whole value', () => {
      expect(linked(showIn('1'.repeat(201), true))).toEqual(['owner A & B', 'region м. Київ']);
    });

    it('is missing if the search would read another value, or none', () => {
      expect(linked(showIn(' 00037256', true))).toEqual(['owner A & B', 'region м. Київ']);
      expect(linked(showIn('00037256', true, ' м. Київ '))).toContain('region  м. Київ ');
      expect(linked(showIn('00037256', true, '!!!'))).toEqual(['custodian 00037256', 'owner A & B']);
    });

    it('is missing if there is no search', () => {
      expect(linked(showIn('00037256', false))).toEqual([]);
    });
  });
});
