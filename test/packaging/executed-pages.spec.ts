import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { readPage } from '../support/page-blocks.js';
import { VolatileValues } from '../support/volatile-values.js';

const page = (...lines: string[]): string => lines.join('\n').replaceAll("'''", '```');

describe('the blocks of a tutorial', () => {
  it.each([
    ['a language that is not executed', ["'''json", '{}', "'''"], 'The block in line 1 is no console'],
    ['an indented fence', ['1. one', "   '''sh", '   x', "   '''"], 'The fence in line 2 is not supported'],
    ['no command', ["'''console", 'x', "'''"], 'Line 2 is output before any command'],
  ])('are refused with %s', (_, lines, sentence) => {
    expect(() => readPage(page(...lines))).toThrow(sentence);
  });

  it.each([
    ['README.md', 5],
    ['docs/keys.md', 3],
    ['docs/production.md', 2],
    ['docs/tutorial.md', 5],
    ['docs/asset-types.md', 5],
    ['docs/modules.md', 5],
  ])('of %s are all executed', (path, few) => {
    expect(readPage(readFileSync(path, 'utf8')).length).toBeGreaterThan(few);
  });
});

describe('the output of a command', () => {
  const [id, other] = ['0'.repeat(32), '1'.repeat(32)];
  const matches = (actual: string, expected: string): boolean => new VolatileValues().matches(actual, expected);

  it.each([
    ['a\nb\nc\n', 'a\n...\nc\n'],
    ['{"a":1,"b":2}\n', '{...,"b":2}'],
    [`id ${id}\n`, `id ${'f'.repeat(32)}`],
    [`${id} ${other} ${id}`, `${other} ${id} ${other}`],
    ['UA-2020-01-02-000003 2020-01-02T03:04:05.678901+02:00', 'UA-2026-11-21-000001 2026-11-21T06:28:21.025083+03:00'],
    ['ETag: "abc1"', 'ETag: "xyz"'],
  ])('%j matches %j', (actual, expected) => expect(matches(actual, expected)).toBe(true));

  it.each([
    ['a\nb\nc\n', 'a\nc\n'],
    ['{"a":1}\n', '{"a":2}'],
    [`${id} ${other}`, `${id} ${id}`],
    [`${id} ${id}`, `${id} ${other}`],
  ])('%j does not match %j', (actual, expected) => expect(matches(actual, expected)).toBe(false));

  it('is remembered: a value of the page is the same one everywhere, in commands and in links too', () => {
    const values = new VolatileValues();
    const shown = '2026-11-21T06:28:21.025083+02:00';
    const actual = '2020-01-02T03:04:05.678901+02:00';
    expect(values.matches(`at ${actual}`, `at ${shown}`)).toBe(true);
    expect(values.inThisRun(`?offset=${encodeURIComponent(shown)}&${shown}`)).toBe(
      `?offset=${encodeURIComponent(actual)}&${actual}`,
    );
    expect(values.matches(`at ${actual}`, `at ${shown}`)).toBe(true);
    expect(values.matches(`at ${actual.replace('01-02', '01-03')}`, `at ${shown}`)).toBe(false);
    expect(values.matches(encodeURIComponent(actual), encodeURIComponent(shown))).toBe(true);
  });
});
