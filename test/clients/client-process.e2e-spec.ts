import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { publish } from '../support/assets.js';
import { runWithClient } from '../support/built-client.js';
import { databases, type TestDatabaseKind } from '../support/databases.js';
import { addAssets } from '../support/many-assets.js';
import { TestRegistry } from '../support/registry.js';

const [sqlite] = databases as [TestDatabaseKind];
const MANY = 40_000;
const MIB = 1024 * 1024;
/** Growth of the heap between the tenth and the last sample. */
const GROWTH_MIB = 3;

/** Runs a program, `RegistryClient` and `url` being there. @returns its last line, as JSON */
async function run(program: string, url: string, options: string[] = []): Promise<unknown> {
  const source = `import { RegistryClient } from 'asset-registry-client';\nconst url = '${url}';\n${program}`;
  return JSON.parse((await runWithClient(source, [], options)).at(-1) as string);
}

describe('a process with the client of a registry on SQLite', () => {
  let registry: TestRegistry;

  beforeAll(async () => {
    registry = await TestRegistry.start(sqlite);
    await publish(registry);
    await addAssets(registry.databaseUrl, MANY - 1);
  });
  afterAll(() => registry?.stop());

  it('needs no more memory for the last of 40,000 changes than for the first', async () => {
    const program = `
      const client = new RegistryClient(url);
      const [heaps, changes] = [[], client.changes({ fields: '*' })];
      let count = 0;
      for await (const change of changes) {
        change.ack();
        if (++count % 2000 !== 0) continue;
        gc();
        heaps.push(process.memoryUsage().heapUsed);
      }
      console.log(JSON.stringify({ count, heaps, acknowledged: changes.acknowledged }));`;
    const printed = (await run(program, registry.url, ['--expose-gc'])) as { count: number; heaps: number[] };
    expect(printed.count).toBe(MANY);
    const [early, late] = [printed.heaps[9], printed.heaps.at(-1)] as [number, number];
    expect((late - early) / MIB).toBeLessThan(GROWTH_MIB);
  });

  it('ends by itself when following is aborted: nothing stays open', async () => {
    const program = `
      const controller = new AbortController();
      const onWait = () => setTimeout(() => controller.abort(new Error('enough')), 10);
      const client = new RegistryClient(url, { onWait, pollMs: 1_000_000 });
      const { nextOffset } = await client.page({ descending: true, limit: 1 });
      try {
        for await (const change of client.changes({ from: nextOffset, follow: true, signal: controller.signal })) change.ack();
      } catch (error) {
        process.on('exit', () => console.log(JSON.stringify({ message: error.message, ms: Date.now() - at })));
      }
      const at = Date.now();`;
    const printed = (await run(program, registry.url)) as { message: string; ms: number };
    expect(printed.message).toBe('enough');
    // Waiting for the next poll takes a thousand seconds.
    expect(printed.ms).toBeLessThan(30_000);
  });
});
