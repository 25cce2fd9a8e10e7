import { describe, expect, it } from '@jest/globals';
import { Allow } from 'class-validator';
import fc from 'fast-check';
import { ANY_TEXT } from '../../test/support/any-text.js';
import { Amount, DateTime, Day, Quantity, Text, Texts, Year } from './fields.js';
import { readFields, printFields } from './fields-json.js';
import { PlainDto } from './plain-dto.js';

const LABELS = { uk: 'Поле', en: 'Field' };

class Sample {
  @Text({ ...LABELS, optional: true })
  text?: string;
}

class Numbers {
  @Quantity(LABELS)
  quantity!: number;

  @Amount(LABELS)
  amount!: number;
}

class Moment {
  @DateTime(LABELS)
  at!: string;
}

@PlainDto()
class Book {
  @Year(LABELS)
  year!: number;

  @Day({ ...LABELS, optional: true })
  day?: string;

  @Texts({ ...LABELS, optional: true })
  authors?: string[];
}

/** As if a team had a rule of class-validator for it, which refuses nothing. */
class BookByLibraries extends Book {}
Allow()(BookByLibraries.prototype, 'year');

class Crew {
  @Texts(LABELS)
  names!: string[];
}

const print = (quantity: number): string =>
  printFields(Numbers, readFields(Numbers, { quantity, amount: quantity }).fields);

describe('texts', () => {
  it('come back code point for code point', () => {
    fc.assert(
      fc.property(ANY_TEXT, (text) => {
        const { fields, faults } = readFields(Sample, { text });
        return faults.length > 0 || (JSON.parse(printFields(Sample, fields)) as Sample).text === text;
      }),
    );
  });
});

describe('numbers', () => {
  it.each([
    [-0, '0.0', '0'],
    [1e-10, '0.0', '0'],
    [-1e-10, '0.0', '0'],
    [9.999e-10, '0.000000001', '0.000000001'],
  ])('print %d as amount %s and quantity %s', (value, amount, quantity) => {
    expect(print(value)).toBe(`{"quantity":${quantity},"amount":${amount}}`);
  });

  it.each([NaN, 2e15, '5'])('may not be %p', (value) => {
    const { faults } = readFields(Numbers, { quantity: value, amount: value });
    expect(faults.map(({ name }) => name)).toEqual(['quantity', 'amount']);
  });
});

describe('a date and time', () => {
  it.each(['2016-02-29T23:59:59.999999999Z', '2015-03-17T00:00:00.5-11:30', '0001-01-01T00:00:00Z'])(
    '%s comes back as it was sent',
    (at) => {
      const { fields, faults } = readFields(Moment, { at });
      expect([faults, printFields(Moment, fields)]).toEqual([[], `{"at":"${at}"}`]);
    },
  );

  it.each([
    '2015-02-30T00:00:00Z',
    '0000-01-01T00:00:00Z',
    '2015-03-17T23:59:60Z',
    '2015-03-17T00:00:00+24:00',
    '2015-03-17T00:00:00',
    '2015-03-17t00:00:00z',
    '2015-03-17T00:00:00Z\n',
    `2015-03-17T00:00:00.${'1'.repeat(10)}Z`,
    `2015-03-17T00:00:00.${'1'.repeat(900_000)}Z`,
    1_426_543_200,
  ])('is not %j', (at) => expect(readFields(Moment, { at }).faults.map(({ name }) => name)).toEqual(['at']));
});

/** Both ways of reading give the same. */
function faultsOfBook(data: Record<string, unknown>): string[] {
  const read = readFields(Book, data);
  expect(readFields(BookByLibraries, data).faults).toEqual(read.faults);
  return read.faults.map(({ name }) => name);
}

describe('a year', () => {
  it.each([1, 9999])('%d is printed as it came', (year) => {
    expect(printFields(Book, readFields(Book, { year }).fields)).toBe(`{"year":${year}}`);
  });

  it.each([0, 1999.5, 10_000, '1999'])('is not %j', (year) => expect(faultsOfBook({ year })).toEqual(['year']));
});

describe('a day', () => {
  it.each(['2024-02-29', '0001-01-01'])('%s comes back as it was sent', (day) => {
    const { fields, faults } = readFields(Book, { year: 1, day });
    expect([faults, printFields(Book, fields)]).toEqual([[], `{"year":1,"day":"${day}"}`]);
  });

  it.each(['2023-02-29', '1900-02-29', '0000-01-01', '2024-1-1', '2024-01-01T00:00:00Z', '2024-01-01\n', 20_240_101])(
    'is not %j',
    (day) => expect(faultsOfBook({ year: 1, day })).toEqual(['day']),
  );
});

describe('a list of texts', () => {
  it.each([[[]], [['УАЗ', 'ГАЗ']], [['x', 'x']], [Array.from({ length: 100 }, () => '😀'.repeat(2_000))]])(
    'comes back as it was sent (%#)',
    (authors) => {
      expect(faultsOfBook({ year: 1, authors })).toEqual([]);
      expect(printFields(Book, readFields(Book, { year: 1, authors }).fields)).toBe(
        JSON.stringify({ year: 1, authors }),
      );
    },
  );

  it.each([
    ['a text', 'УАЗ'],
    ['a number in it', ['УАЗ', 5]],
    ['an empty text in it', ['УАЗ', '']],
    ['a control character in it', ['\0']],
    ['a text of 2,001 code points', ['x'.repeat(2_001)]],
    ['101 texts', Array.from({ length: 101 }, () => 'x')],
  ])('may not be or have %s', (_, authors) => expect(faultsOfBook({ year: 1, authors })).toEqual(['authors']));

  it('names the first of its faulty texts', () => {
    const { faults } = readFields(Crew, { names: ['Олена', '', 5] });
    expect(faults).toEqual([{ name: 'names', description: 'Text 2: This field may not be empty' }]);
  });

  it('that is required has one at least', () => {
    expect(readFields(Crew, { names: [] }).faults).toEqual([
      { name: 'names', description: 'At least one is required' },
    ]);
  });
});
