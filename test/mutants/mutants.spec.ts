import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { isCaught, table } from './report.js';
import { judgeFaults, judgeSimulation, judgeTests, type Ran, type Verdict } from './judgement.js';
import { layerRun, LAYERS, MODEL_RUN } from './layers.js';
import { applyPatch, mutate, type Mutant, PatchError } from './mutant.js';
import { MUTANTS } from './mutants.js';
import { REFUTED } from './refuted-designs.js';
import type { Trial } from './trial.js';

const readSource = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

describe('the table of mutants', () => {
  it.each(MUTANTS.map((mutant) => [mutant.name, mutant] as const))('%s: fits the source', (_, mutant) => {
    expect(mutate(mutant, readSource).size).toBeGreaterThan(0);
  });

  it('changes shipped sources only, and names each mutant once', () => {
    for (const { file } of MUTANTS.flatMap(({ patches }) => patches)) expect(file).toMatch(/^src\/.*(?<!\.spec)\.ts$/);
    expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
  });

  it('runs specs that there are', () => {
    const specs = readdirSync('test', { recursive: true }).map((path) => `/test/${String(path)}`);
    const patterns = [MODEL_RUN, ...MUTANTS.map((mutant) => layerRun('e2e', mutant))].flatMap(({ words }) =>
      words.slice(words.indexOf('--testPathPatterns') + 1),
    );
    for (const pattern of patterns) expect(specs.filter((path) => path.includes(`${pattern}.ts`))).toHaveLength(1);
  });

  it('cites designs that the model refutes', () => {
    const model = readSource('test/feed/feed-model.spec.ts');
    const refuted = model.slice(model.indexOf('what is refuted is found broken'));
    for (const { name } of REFUTED) expect(refuted).toContain(`'${name}'`);
  });
});

describe('the documents', () => {
  const guarantee = readSource('docs/guarantee.md');

  it('count the mutants', () => {
    expect(guarantee).toContain(`There are ${MUTANTS.length} mutants`);
    expect(readSource('CHANGELOG.md')).toContain(`- Mutants: ${MUTANTS.length} defects`);
  });

  it('have a row for each of them and for each refuted design, and no others', () => {
    const [, section = ''] = guarantee.split('## The mutants');
    const rows = [...section.matchAll(/^\| (.*?) +\|/gm)].map(([, name]) => name).slice(2);
    expect(new Set(rows)).toEqual(new Set([...MUTANTS, ...REFUTED].map(({ name }) => name)));
  });

  it('name specs that are there', () => {
    const named = [...guarantee.matchAll(/(unit|e2e): ((?:`[\w.-]+`(?:, )?)+)/g)].flatMap(([, kind, words = '']) =>
      [...words.matchAll(/`(.*?)`/g)].map(([, word]) => `${word}.${kind === 'e2e' ? 'e2e-' : ''}spec.ts`),
    );
    const files = ['src', 'test', 'clients'].flatMap((folder) => readdirSync(folder, { recursive: true }) as string[]);
    const there = new Set(files.map((path) => basename(path)));
    expect(named.length).toBeGreaterThan(100);
    expect(named.filter((name) => !there.has(name))).toEqual([]);
  });
});

describe('a patch', () => {
  const patch = { file: 'src/a.ts', from: 'one', to: 'two' };

  it.each([
    ['is not there', 'three', patch],
    ['is there twice', 'one one', patch],
    ['changes nothing', 'one', { ...patch, to: 'one' }],
  ])('that %s fails with the mutant and the file', (_, text, bad) => {
    expect(() => applyPatch(text, bad, 'the mutant')).toThrow(PatchError);
    expect(() => applyPatch(text, bad, 'the mutant')).toThrow(/"the mutant".* src\/a\.ts/);
  });

  it('is put in as it is written, after those before it', () => {
    const mutant: Mutant = { name: '', breaks: '', patches: [patch, { ...patch, from: 'two', to: '$& three' }] };
    expect(mutate(mutant, () => '<one>').get('src/a.ts')).toBe('<$& three>');
  });
});

const ran = (output: string, more: Partial<Ran> = {}): Ran => ({ code: 1, output, timedOut: false, ...more });
const failure = (message: string, test: string | undefined = 'is so'): string =>
  `x\nFAILURE ${JSON.stringify({ file: 'a.spec.ts', test, messages: [message] })}\n`;

describe('the judgement', () => {
  it.each<[string, Verdict['kind'], Verdict]>([
    ['tests that pass', 'passed', judgeTests(ran('1 passed', { code: 0 }))],
    ['an assertion', 'caught', judgeTests(ran(failure('Error: expect(received).toBe(expected)')))],
    [
      'an assertion before a time limit',
      'caught',
      judgeTests(ran(failure('expect(1)'), { timedOut: true, code: null })),
    ],
    ['a test that took too long', 'unclear', judgeTests(ran(failure('thrown: "Exceeded timeout of 5000 ms"')))],
    ['an error that a test threw', 'unclear', judgeTests(ran(failure('Error: POST answered 500')))],
    ['a file that could not run', 'unclear', judgeTests(ran('FAILURE {"file":"a","messages":["expect(1)"]}'))],
    ['jest that crashed', 'unclear', judgeTests(ran('Out of memory', { code: 134 }))],
    ['histories without a fault', 'passed', judgeSimulation(ran('No promise was broken', { code: 0 }))],
    ['a broken promise', 'caught', judgeSimulation(ran('Broken on MySQL:\n  missed: x\nAgain: …'))],
    ['a simulation that crashed', 'unclear', judgeSimulation(ran('TypeError: x'))],
    ['a simulation that never ends', 'unclear', judgeSimulation(ran('', { timedOut: true, code: null }))],
    ['a run without a violation', 'passed', judgeFaults(ran('  no violation', { code: 0 }))],
    ['a violation', 'caught', judgeFaults(ran('  1 VIOLATIONS\n  - 9 no phantom: x\n  again: y'))],
    ['a run that could not start', 'unclear', judgeFaults(ran('Error: No database server'))],
  ])('of %s is: %s', (_, expected, { kind }) => expect(kind).toBe(expected));

  it('names every test and every violation', () => {
    const output = failure('expect(1)', 'one') + failure('expect(2)', 'two');
    expect(judgeTests(ran(output))).toEqual({ kind: 'caught', by: ['a.spec.ts: one', 'a.spec.ts: two'] });
    const violations = ran('  2 VIOLATIONS\n  - one\n  - two\n  again: x');
    expect(judgeFaults(violations)).toEqual({ kind: 'caught', by: ['one', 'two'] });
  });
});

describe('the report', () => {
  const mutant: Mutant = { name: 'a | b', breaks: 'It breaks.', patches: [] };
  const trial = (...verdicts: Verdict[]): Trial => ({
    mutant,
    results: verdicts.map((verdict, i) => ({ run: layerRun(LAYERS[i] ?? 'unit', mutant), verdict, seconds: i + 1 })),
  });
  const caught: Verdict = { kind: 'caught', by: ['the test', 'another'] };
  const unclear: Verdict = { kind: 'unclear', why: 'it crashed' };

  it('counts as caught what an assertion found, and nothing else', () => {
    expect(isCaught(trial({ kind: 'passed' }, caught))).toBe(true);
    expect(isCaught(trial({ kind: 'passed' }, unclear))).toBe(false);
    expect(isCaught({ mutant, invalid: 'TS2304: cannot find name' })).toBe(false);
  });

  it.each([
    [
      'by layer and test, with the time of all layers',
      trial({ kind: 'passed' }, caught),
      'simulation: the test (and 1 more) | 3 s |',
    ],
    ['that it survived', trial({ kind: 'passed' }), '**SURVIVED** | 1 s |'],
    ['that it is not known', trial(unclear), '**UNCLEAR** | 1 s |'],
    ['that it is no mutant, because it does not build', { mutant, invalid: 'TS1: x\ny' }, '**INVALID**: TS1: x |  |'],
  ])('says %s', (_, one, end) => {
    const line = table([one], []).split('\n').at(-1);
    expect(line).toBe(`| a \\| b | It breaks. | ${end}`);
  });
});
