import { describe, expect, it } from '@jest/globals';
import * as installed from '../asset-types/installed.js';
import { type DtoClass, fieldsOf } from '../asset-types/fields.js';
import { BasicAsset } from '../asset-types/basic/basic.dto.js';
import { Custodian } from '../asset-types/shared/parts.dto.js';
import { CompoundAsset } from '../asset-types/compound/compound.dto.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import type { JsonObject } from './asset-view-model.js';
import { DateTime, Day, Quantity, Texts, ValueField, WebUrl, Year } from '../asset-types/vocabulary.js';
import type { Language } from './language.js';
import { ByteBudget } from './byte-budget.js';
import { showFields } from './shown-values.js';
import { ShownTimes } from './times.js';

const times = new ShownTimes(new RegistryTime('Europe/Kyiv'), 'Europe/Kyiv');

function shown(
  dto: DtoClass,
  values: JsonObject,
  language: Language = 'en',
  bytes = 100_000,
  mapSearchUrl?: string,
): string {
  return showFields(fieldsOf(dto), values, { language, budget: new ByteBudget(bytes), times, mapSearchUrl }).text;
}

/** The text without markup, each line once. */
function textOf(markup: string): string {
  return markup
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

const basic = installed.basic.example.data;

const LABELS = { uk: 'Поле', en: 'Field' };

class Vehicle {
  @Year(LABELS) year!: number;
  @Quantity(LABELS) mileage!: number;
  @Day(LABELS) checked!: string;
  @Texts(LABELS) makers!: string[];
  @ValueField(() => undefined, { ...LABELS, schema: { type: 'number' }, ungrouped: true }) chassis!: number;
  @ValueField(() => undefined, { ...LABELS, schema: { type: 'array' } }) gears!: unknown;
}

class Site {
  @WebUrl(LABELS) page!: string;
  @DateTime(LABELS) opened!: string;
}

describe('the values of an asset', () => {
  it.each([
    [{ currency: 'UAH', amount: 1234567.5, valueAddedTaxIncluded: true }, 'en', '1,234,567.50 UAH , VAT included'],
    [{ currency: 'UAH', amount: 1234567.5, valueAddedTaxIncluded: true }, 'uk', '1 234 567,50 UAH , з урахуванням ПДВ'],
    [{ currency: 'USD', amount: 0, valueAddedTaxIncluded: false }, 'en', '0.00 USD , VAT not included'],
    [{ currency: 'EUR', amount: 0.000000001, valueAddedTaxIncluded: true }, 'en', '0.000000001 EUR , VAT included'],
  ] as const)('money with currency and tax: %j in %s', (value, language, text) => {
    expect(textOf(shown(BasicAsset, { ...basic, value }, language))).toContain(text);
  });

  it('no tax if that was erased', () => {
    const erased = { ...basic, value: { currency: 'UAH', amount: 5 } };
    expect(textOf(shown(BasicAsset, erased))).not.toContain('VAT');
  });

  it('a quantity with its unit in the language of the page', () => {
    const land = { quantity: 0.25, unit: { code: 'HAR', name: 'гектар' } };
    expect(shown(BasicAsset, land)).toMatch(/0\.25<\/data>\s*<bdi>hectares<\/bdi>\s*<bdi class="code">HAR</);
    expect(shown(BasicAsset, land, 'uk')).toMatch(/0,25<\/data>\s*<bdi>гектара<\/bdi>/);
  });

  it('an address as it stands on a letter, without empty lines', () => {
    const address = { countryName: 'Україна', postalCode: '79000', locality: 'Львів', region: '' };
    expect(shown(BasicAsset, { address })).toContain('<bdi lang="uk">Львів</bdi><br /><bdi>79000 Ukraine</bdi>');
    expect(shown(BasicAsset, { address }, 'uk')).toContain('79000 Україна');
  });

  it('a web address with an @ behind its host as a link', () => {
    const identifier = { scheme: 'a', id: 'b', uri: 'https://bank.ua:443/@office?to=a@b.example#@' };
    expect(shown(BasicAsset, { assetCustodian: { name: 'x', identifier } })).toContain(`href="${identifier.uri}"`);
  });

  it('codes and addresses isolated from text in another direction', () => {
    const identifier = { scheme: 'UA-EDR', id: '\u202e1', uri: 'http://x.example/\u202e1' };
    const values = { classification: { ...identifier, description: 'x' }, assetCustodian: { name: 'x', identifier } };
    const isolated = '<bdi class="code">UA-EDR \u202e1</bdi>';
    expect(shown(BasicAsset, values).split(isolated)).toHaveLength(3);
    expect(shown(Site, { page: identifier.uri })).toContain('"><bdi>http://x.example/\u202e1</bdi></a>');
  });

  it.each([
    'javascript:alert(1)',
    'data:text/html,x',
    ' http://x',
    '//x',
    'https://bank.ua@evil.example/',
    'https://bank.ua:443@evil.example',
    'https://@evil.example/',
    'https://evil.example\\.bank.ua/',
    'https://bank.ua/\\x',
    'https:///evil.example/',
    'https://bank.ua\uff0fx/',
  ])('%s as text, never as a link', (uri) => {
    const assetCustodian = { name: 'x', identifier: { scheme: 'a', id: 'b', uri } };
    expect(shown(BasicAsset, { assetCustodian })).not.toContain('href');
  });

  it.each([
    [{ year: 1999 }, 'uk', 'Поле 1999'],
    [{ mileage: 125000 }, 'uk', 'Поле 125 000'],
    [{ chassis: 1234567 }, 'en', 'Field 1234567'],
    [{ checked: '2024-02-29' }, 'uk', 'Поле 29 лютого 2024 р.'],
    [{ checked: '2024-02-29' }, 'en', 'Field 29 February 2024'],
    [{ checked: '0988-07-28' }, 'en', 'Field 28 July 988'],
    [{ checked: 'of old' }, 'en', 'Field of old'],
    [{ makers: ['УАЗ', 'ГАЗ'] }, 'uk', 'Поле УАЗ ГАЗ'],
    [{ makers: [] }, 'uk', ''],
    [{ gears: [1, 2000, true, 'ручна'] }, 'en', 'Field 1 2,000 yes ручна'],
    [{ gears: { old: 1 } }, 'en', 'Field {&quot;old&quot;:1}'],
  ] as const)('%j in %s as %s', (values, language, text) => {
    expect(textOf(shown(Vehicle, values, language)).replaceAll(' ', ' ')).toBe(text);
  });

  it.each(['9999-12-31T23:59:59Z', '1492-10-12T02:00:00Z'])(
    'the time %s, which is not exact as a number, as it was written',
    (at) => {
      expect(shown(Site, { opened: at })).toContain(`<bdi>${at}</bdi>`);
      expect(shown(Site, { opened: '2026-11-25T12:00:00Z' })).toContain(
        '<time datetime="2026-11-25T14:00:00.000+02:00" title="2026-11-25T14:00:00.000000+02:00">',
      );
    },
  );

  it('a list of texts as a list, the first twenty', () => {
    const markup = shown(Vehicle, { makers: Array.from({ length: 100 }, (_, i) => `<${i}>`) });
    expect(markup).toContain('<li><bdi>&lt;19&gt;</bdi></li>');
    expect(markup).not.toContain('&lt;20&gt;');
    expect(textOf(markup)).toContain('80 more: see the JSON below.');
    expect(shown(Vehicle, { checked: '2024-02-29' })).toContain('<time datetime="2024-02-29">');
  });

  it('items as a table of the columns in which they have something, with the unit next to the quantity', () => {
    const [item] = installed.compound.example.data['items'] as JsonObject[];
    const markup = shown(CompoundAsset, { items: [item, { ...item, address: undefined }] });
    expect(markup).toContain('<section class="wide-table" tabindex="0" aria-label="Items"');
    expect([...markup.matchAll(/<th scope="col">([^<]*)/g)].map(([, head]) => head)).toEqual([
      'Description',
      'Classification',
      'Quantity',
      'Address',
    ]);
    expect(markup.match(/<td data-label="[^"]+">/g)).toHaveLength(8);
    expect(markup).toMatch(/<td data-label="Address"><\/td>\s*<\/tr>/);
  });

  it.each([
    ['0440000000', 'tel:0440000000'],
    ['+38 (044) 000-00.00', 'tel:+380440000000'],
    ['044 000 00 00, дод. 5', undefined],
    ['javascript:1', undefined],
    ['112+', undefined],
  ])('the telephone %j leads to %s', (telephone, href) => {
    const markup = shown(Custodian, { contactPoint: { name: 'Олена', telephone } });
    expect(/href="([^"]*)"/.exec(markup)?.[1]).toBe(href);
    expect(textOf(markup)).toContain(`Олена ${telephone}`);
  });

  it('several telephones as a link each', () => {
    const telephone = '+380 (44) 123-45-67, 044 765-43-21;067 765-43-21';
    const markup = shown(Custodian, { contactPoint: { name: 'Олена', telephone } });
    const links = [...markup.matchAll(/href="([^"]*)"/g)].map(([, href]) => href);
    expect(links).toEqual(['tel:+380441234567', 'tel:0447654321', 'tel:0677654321']);
  });

  it('an address as a link to a search on the map that the operator has chosen, and as none where he has not', () => {
    const address = { countryName: 'Україна', locality: `Львів "&$&'` };
    const markup = shown(BasicAsset, { address }, 'en', 5_000, 'https://map.example/?q={address}&z=1');
    const query = encodeURIComponent(`Львів "&$&', Ukraine`).replaceAll("'", '&#39;');
    expect(markup).toContain(
      `<a href="https://map.example/?q=${query}&amp;z=1" rel="external nofollow noopener noreferrer">On a map</a>`,
    );
    expect(shown(BasicAsset, { address })).not.toContain('href');
  });
});
