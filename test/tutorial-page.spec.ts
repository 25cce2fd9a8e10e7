import { describe, expect, it } from '@jest/globals';
import { isAsTold, readTutorial } from './support/tutorial.js';

const page = (...lines: string[]): string => lines.join('\n').replaceAll("'''", '```');

describe('the blocks of a tutorial', () => {
  it('are commands with what they tell, and files that are named before them', () => {
    const text = page(
      'Run',
      '',
      "'''console",
      '$ one \\',
      '  two',
      'told',
      '$ three',
      "'''",
      'as in `a/b.ts`:',
      '',
      "'''ts",
      'x',
      '',
      "'''",
    );
    expect(readTutorial(text)).toEqual([
      { does: 'run', line: 4, command: 'one \\\n  two', told: 'told\n' },
      { does: 'run', line: 7, command: 'three', told: '' },
      { does: 'write', line: 11, path: 'a/b.ts', text: 'x\n\n' },
    ]);
  });

  it('are refused where nobody could tell what to do with them', () => {
    expect(() => readTutorial(page('a file', "'''ts", 'x', "'''"))).toThrow('The block in line 2 is no console');
    expect(() => readTutorial(page("'''console", 'x', "'''"))).toThrow(
      'Line 2 tells something before there is a command',
    );
  });
});

describe('what a command tells', () => {
  it.each([
    ['a\nb\n', 'a\nb'],
    ['a\nb\nc\n', 'a\n...\nc\n'],
    ['a\nc\n', 'a\n...\nc\n'],
    ['a\nb\nc\n', '...\nc\n'],
    ['a\nb\n', 'a\n...\n'],
    ['{"a":1,"b":2}\n', '{...,"b":2}'],
    [`id ${'0'.repeat(32)}\n`, `id ${'f'.repeat(32)}`],
    ['UA-2020-01-02-000003 2020-01-02T03:04:05.678901+02:00', 'UA-2026-11-21-000001 2026-11-21T06:28:21.025083+03:00'],
  ])('%j is as told by %j', (actual, told) => expect(isAsTold(actual, told)).toBe(true));

  it.each([
    ['a\nb\n', 'a\n'],
    ['b\na\n', 'a\n...\n'],
    ['ab\n', 'a.'],
    ['a\nb\nc\n', 'a\nc\n'],
    ['{"a":1}\n', '{"a":2}'],
    [`id ${'0'.repeat(31)}\n`, `id ${'f'.repeat(32)}`],
  ])('%j is not as told by %j', (actual, told) => expect(isAsTold(actual, told)).toBe(false));
});
