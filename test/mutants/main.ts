/*
 * npm run test:mutants: proves that the tests can fail. Each mutant is a copy of the project with one defect of the feed, which its spec must find.
 */
import { readFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import { ProjectCopy } from '../support/project-copy.js';
import { type Mutant, mutate } from './mutant.js';
import { READING_MUTANTS } from './reading-mutants.js';
import { WRITING_MUTANTS } from './writing-mutants.js';

const MUTANTS = [...WRITING_MUTANTS, ...READING_MUTANTS];
const LIMIT_S = 600;
/** Time limit of a test, many times what the longest takes. A defect may make a test wait forever, and the spec's other tests must run. */
const TEST_LIMIT_MS = 20_000;
/** Only a failed assertion counts: a test that throws another error may fail for another reason. */
const ASSERTION = /\bexpect\(.*\)\./;

const { only } = new Command('npm run test:mutants --')
  .description('Spoils the feed in one place after the other, in a copy, and runs the spec that must find it')
  .addOption(new Option('--only <name...>', 'only these mutants').choices(MUTANTS.map(({ name }) => name)))
  .parse()
  .opts<{ only?: string[] }>();

const mutants = MUTANTS.filter(({ name }) => only?.includes(name) ?? true);
const copy = new ProjectCopy();
try {
  const sound = await run([...new Set(mutants.map(({ spec }) => spec))]);
  if (sound.code !== 0) throw new Error(`The specs do not pass on the sound sources:\n${sound.output}`);
  let missed = 0;
  for (const mutant of mutants) {
    const isFound = await isFoundIn(mutant);
    console.log(`${isFound ? 'found ' : 'MISSED'} ${mutant.name}: ${mutant.breaks}`);
    if (!isFound) missed++;
  }
  console.log(`${mutants.length - missed} of ${mutants.length} mutants were found.`);
  if (missed > 0) process.exitCode = 1;
} finally {
  copy.remove();
}

async function isFoundIn(mutant: Mutant): Promise<boolean> {
  const changed = mutate(mutant, (file) => readFileSync(file, 'utf8'));
  for (const [file, text] of changed) copy.write(file, text);
  const { code, output } = await run([mutant.spec]);
  for (const file of changed.keys()) copy.write(file, readFileSync(file, 'utf8'));
  return code === 1 && ASSERTION.test(output);
}

function run(specs: readonly string[]): Promise<{ code: number | null; output: string }> {
  return copy.run(
    `timeout ${LIMIT_S} npx jest --selectProjects unit --ci --bail --testTimeout ${TEST_LIMIT_MS} ${specs.join(' ')}`,
  );
}
