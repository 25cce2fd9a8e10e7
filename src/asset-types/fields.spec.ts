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

/** With a team's rule of class-validator that accepts everything. */
class BookByLibraries extends Book {}
Allow()(BookByLibraries.prototype, 'year');

class Crew {
  @Texts(LABELS)
  names!: string[];
}

const print = (quantity: number): string =>
  printFields(Numbers, readFields(Numbers, { quantity, amount: quantity }).fields);

describe('texts', () => {
  it('are printed as sent, code point by code point', () => {
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
    '%s is printed as sent',
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

/** Expects the same from both ways of reading. */
function faultsOfBook(data: Record<string, unknown>): string[] {
  const read = readFields(Book, data);
  expect(readFields(BookByLibraries, data).faults).toEqual(read.faults);
  return read.faults.map(({ name }) => name);
}

describe('a year', () => {
  it.each([1, 9999])('%d is printed as sent', (year) => {
    expect(printFields(Book, readFields(Book, { year }).fields)).toBe(`{"year":${year}}`);
  });

  it.each([0, 1999.5, 10_000, '1999'])('is not %j', (year) => expect(faultsOfBook({ year })).toEqual(['year']));
});

describe('a day', () => {
  it.each(['2024-02-29', '0001-01-01'])('%s is printed as sent', (day) => {
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
    'is printed as sent (%#)',
    (authors) => {
      expect(faultsOfBook({ year: 1, authors })).toEqual([]);
      expect(printFields(Book, readFields(Book, { year: 1, authors }).fields)).toBe(
        JSON.stringify({ year: 1, authors }),
      );
    },
  );

  it.each([
    ['a text', 'УАЗ'],
    ['a list with a number', ['УАЗ', 5]],
    ['a list with an empty text', ['УАЗ', '']],
    ['a list with a control character', ['\0']],
    ['a list with a text of 2,001 code points', ['x'.repeat(2_001)]],
    ['a list of 101 texts', Array.from({ length: 101 }, () => 'x')],
  ])('may not be %s', (_, authors) => expect(faultsOfBook({ year: 1, authors })).toEqual(['authors']));

  it('names the first of its faulty texts', () => {
    const { faults } = readFields(Crew, { names: ['Олена', '', 5] });
    expect(faults).toEqual([{ name: 'names', description: 'Text 2: This field may not be empty' }]);
  });

  it('has at least one if it is required', () => {
    expect(readFields(Crew, { names: [] }).faults).toEqual([
      { name: 'names', description: 'At least one is required' },
    ]);
  });
});
