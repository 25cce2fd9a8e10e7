import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { removeFolder } from '../../scripts/machine/remove-folder.js';
import { ASSETS, publish } from '../support/assets.js';
import { runWithClient } from '../support/built-client.js';
import { databases, type TestDatabaseKind } from '../support/databases.js';
import { FakeLogRegistry } from '../support/fake-log-registry.js';
import { TestRegistry } from '../support/registry.js';
import { until } from '../support/until.js';

const README = readFileSync('clients/typescript/README.md', 'utf8');
const EXAMPLES = [...README.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, source]) => source as string);
const [sqlite] = databases as [TestDatabaseKind];
const ID = expect.stringMatching(/^[0-9a-f]{32}/);

describe('the examples of the client’s README, on SQLite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'registry-readme-'));
  let registry: TestRegistry;

  beforeAll(async () => {
    registry = await TestRegistry.start(sqlite, { SEARCH_INDEX: join(folder, 'index.sqlite') });
    await publish(registry);
  });
  afterAll(async () => {
    await registry?.stop();
    removeFolder(folder);
  });

  /** Waits until the search index includes the assets of earlier examples. */
  beforeEach(() =>
    until(async () => {
      const [listed, found] = [await registry.send(ASSETS), await registry.send(`${ASSETS}/search`)];
      return (found.json as { total: number }).total === (listed.json.data as unknown[]).length;
    }),
  );

  const run = (example: string, url = registry.url): Promise<string[]> =>
    runWithClient(example.replaceAll('https://registry.example', url));

  it.each([
    ['create', 0, ['pending', 'pending']],
    ['follow', 1, [ID]],
    ['search', 2, ['2 1', 'pending 100']],
    ['hand over', 3, Array.from({ length: 2 }, () => 'broker2 has it, with a token of 32 characters')],
    ['begin a copy', 4, ['true']],
    ['verify the log of a registry without one', 5, []],
  ])('%s', async (_, number, lines) => {
    expect(await run(EXAMPLES[number] as string)).toEqual(lines);
  });

  it('verify the log', async () => {
    const fake = await new FakeLogRegistry().start();
    const places = [fake.add(), fake.add()];
    fake.log?.publish();
    const ids = [...fake.assets.keys()];
    const lines = places.map((place) => `${place} ${ids[place]} bound`);
    expect(await run(EXAMPLES[5] as string, fake.url)).toEqual([...lines, '1']);
    await fake.stop();
  });

  it('are all run', () => {
    expect(EXAMPLES).toHaveLength(6);
  });
});
