import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { mutate } from './mutant.js';
import { READING_MUTANTS } from './reading-mutants.js';
import { WRITING_MUTANTS } from './writing-mutants.js';

const MUTANTS = [...WRITING_MUTANTS, ...READING_MUTANTS];
const read = (file: string): string => readFileSync(file, 'utf8');

it.each(MUTANTS.map((mutant) => [mutant.name, mutant] as const))('%s: fits the source, and has a spec', (_, mutant) => {
  const changed = [...mutate(mutant, read).keys()];
  expect(changed.filter((file) => !/^src\/(?:feed|platform\/concurrency)\/.*(?<!\.spec)\.ts$/.test(file))).toEqual([]);
  expect(existsSync(mutant.spec)).toBe(true);
});

it('a patch whose text is not in the source names the mutant and the file', () => {
  const patches = [{ file: 'src/a.ts', from: 'one', to: 'two' }];
  const mutant = { name: 'the mutant', breaks: '', spec: '', patches };
  expect(() => mutate(mutant, () => 'one one')).toThrow(/"the mutant" .* src\/a\.ts/);
});

it('docs/guarantee.md has a row for each mutant, and no others', () => {
  const [, section = ''] = read('docs/guarantee.md').split('## The mutants');
  const rows = [...section.matchAll(/^\| (.*?) +\|/gm)].map(([, name]) => name).slice(2);
  expect(rows).toEqual(MUTANTS.map(({ name }) => name));
});
