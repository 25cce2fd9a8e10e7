import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { publish } from '../support/assets.js';
import { databases, type TestDatabaseKind } from '../support/databases.js';
import { TestRegistry } from '../support/registry.js';
import { asJavaScript, faultsOfTypes } from '../support/typescript-examples.js';

const README = readFileSync('clients/typescript/README.md', 'utf8');
const EXAMPLES = [...README.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, source]) => source as string);
const BUILT = pathToFileURL(resolve('clients/typescript/dist/index.js')).href;
const [sqlite] = databases as [TestDatabaseKind];
const ID = expect.stringMatching(/^[0-9a-f]{32}/);

describe('the examples of the client’s README, on SQLite', () => {
  let registry: TestRegistry;

  beforeAll(async () => {
    registry = await TestRegistry.start(sqlite);
    await publish(registry);
  });
  afterAll(() => registry?.stop());

  /** @returns what it writes to standard output, line by line */
  async function run(example: string): Promise<string[]> {
    const program = asJavaScript(example)
      .replaceAll('https://registry.example', registry.url)
      .replace("'asset-registry-client'", `'${BUILT}'`);
    const words = ['--input-type=module', '--eval', program];
    const { stdout } = await promisify(execFile)(process.execPath, words, { env: {}, timeout: 50_000 });
    return stdout.split('\n').slice(0, -1);
  }

  it.each([
    ['create', 0, ['pending']],
    ['follow', 1, [ID]],
    ['begin a copy', 2, ['true']],
  ])('%s', async (_, number, lines) => {
    expect(await run(EXAMPLES[number] as string)).toEqual(lines);
  });

  it('are all run', () => {
    expect(EXAMPLES).toHaveLength(3);
  });

  it('are sound TypeScript', () => {
    expect(faultsOfTypes(EXAMPLES)).toEqual([]);
  }, 60_000);
});
