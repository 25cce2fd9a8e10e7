/*
 * npm run new:asset-type -- <name>: writes the files of a new asset type and its line in the list, ready to build, test and change.
 * Node runs this file uncompiled, so it imports nothing of src/, whose decorators need compiling.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Command } from 'commander';
import { filesOf, installedNames, LIST, type NewType, newType, TYPES_FOLDER, withLine } from './asset-type-files.ts';

/** npm scripts that generate other files of the repository from the types. */
const MADE_OF_TYPES = ['openapi', 'client:types'];

await new Command('new:asset-type')
  .description(
    'Makes a new asset type: its fields, an example, and its line in the list of types. Continue with docs/asset-types.md.',
  )
  .argument('<name>', 'the value of assetType, such as landPlot; land-plot is the same')
  .option('--uk <label>', 'what people read in Ukrainian (default: the English label)')
  .option('--en <label>', 'what people read in English (default: the words of the name)')
  .action(make)
  .parseAsync();

async function make(given: string, labels: { uk?: string; en?: string }): Promise<void> {
  try {
    const type = newType(given, labels);
    const list = readFileSync(LIST, 'utf8');
    assertUnused(list, type);
    const files = await filesOf(type);
    files.set(LIST, withLine(list, type));
    const steps = nextSteps(type, [...files.keys()], labels.uk === undefined);
    for (const [path, text] of files) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
    process.stdout.write(steps);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}. Nothing was written.\n`);
    process.exitCode = 1;
  }
}

/** @throws Error with a sentence if the name or the folder is in use */
function assertUnused(list: string, { name, kebab }: NewType): void {
  if (installedNames(list).includes(name)) throw new Error(`There is a type ${name} already`);
  if (existsSync(`${TYPES_FOLDER}/${kebab}`)) throw new Error(`There is a folder ${TYPES_FOLDER}/${kebab} already`);
}

function nextSteps({ kebab }: NewType, written: readonly string[], needsUkrainian: boolean): string {
  const base = `${TYPES_FOLDER}/${kebab}/${kebab}`;
  const steps = [
    ...(needsUkrainian ? [`give it a Ukrainian label (labels.uk) in ${base}.asset-type.ts`] : []),
    `describe its fields in ${base}.dto.ts and the example next to it: docs/asset-types.md`,
    'npx jest --selectProjects unit --testPathPatterns installed    its tests',
    ...MADE_OF_TYPES.map((name) => `npm run ${name}    after each change of its fields`),
    'npm start, and in another terminal',
    `  curl -u broker: -H 'Content-Type: application/json' -d @${base}.example.json http://127.0.0.1:8080/api/0.1/assets`,
  ];
  return `Written:\n${lines(written)}\n\nNext:\n${lines(steps)}\n`;
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `  ${text}`).join('\n');
}
