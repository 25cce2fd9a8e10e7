import { describe, expect, it } from '@jest/globals';
import { RegistryTime } from '../../platform/time/registry-time.js';
import { type CellField, cellOf, STYLES, textCell } from './cells.js';

const context = {
  language: 'uk',
  time: new RegistryTime('Europe/Kyiv'),
  link: 'https://a.example/assets/UA-1',
} as const;
const number: CellField = { schema: { type: 'number' } };
const instant: CellField = { schema: { type: 'string', format: 'date-time' } };
const day: CellField = { schema: { type: 'string', format: 'date' } };

const cell = (value: unknown, field: CellField): string => cellOf('A1', [value], field, context);
const text = (shown: string): string => textCell('A1', shown, context.link);

describe('a cell of a spreadsheet', () => {
  it('contains a number if a spreadsheet keeps all of its digits, else text', () => {
    for (const value of [0, 7, 0.0000001, 123456789012.345, 1e15])
      expect(cell(value, number)).toContain(`<v>${value}</v>`);
    expect(cell(1234567890123456.5, number)).toBe(text('1234567890123456.5'));
  });

  it('shows decimals of an amount', () => {
    expect(cell(100, { ...number, decimal: true })).toBe(`<c r="A1" s="${STYLES.decimal}"><v>100</v></c>`);
  });

  it('contains local dates and times as serial numbers, in summer and in winter', () => {
    expect(cell('2026-11-21T12:00:00+02:00', instant)).toContain('<v>46347.5</v>');
    expect(cell('2026-07-21T09:00:00Z', instant)).toContain('<v>46224.5</v>');
    expect(cell('2026-11-21', day)).toContain('<v>46347</v>');
  });

  it.each([
    ['1899-12-31', day],
    ['1900-02-28', day],
    ['1899-12-31T12:00:00+02:00', instant],
    ['2016-12-31T23:59:60Z', instant],
  ])('contains dates without a serial number as text: %s', (value, field) => {
    expect(cell(value, field)).toBe(text(value));
  });

  it('contains several values as one text, each once, and labels instead of codes', () => {
    const choices = { a: { uk: 'перше', en: 'first' }, b: { uk: 'друге', en: 'second' } };
    expect(cellOf('A1', ['a', 'b', 'a'], { schema: {}, choices }, context)).toBe(text('перше | друге'));
    expect(cell('gone', { schema: {}, choices })).toBe(text('gone'));
    expect([cell(true, { schema: {} }), cell(false, { schema: {} })]).toEqual([text('так'), text('ні')]);
    expect(cellOf('A1', [], number, context)).toBe('');
  });

  it('escapes characters that XML cannot contain, and text that looks like such an escape', () => {
    expect(text('\u0001\r\t_x0041_ <&>')).toContain('>_x0001__x000D_\t_x005F_x0041_ &lt;&amp;&gt;<');
  });

  it('contains texts of up to 32,767 characters, and truncates longer ones without splitting a surrogate pair', () => {
    const whole = 'a'.repeat(32_767);
    expect(text(whole)).toContain(`>${whole}<`);
    const ending = ` … ${context.link}`;
    for (const before of ['', 'a'])
      expect(text(before + '🚀'.repeat(20_000))).toMatch(new RegExp(`>${before}(?:🚀)+${ending}<`, 'u'));
  });
});
