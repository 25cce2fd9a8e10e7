import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ASSETS, change, create, createIn, type Owned, publish, read } from './support/assets.js';
import { copies, type TestCopy } from './support/copies.js';
import { databases, type TestDatabaseKind } from './support/databases.js';
import { addAssets } from './support/many-assets.js';
import { follow } from './support/pages.js';
import { TestRegistry } from './support/registry.js';
import { SyncProcess } from './support/sync-process.js';

/** More than two pages, and then some. */
const ASSETS_MANY = 2_300;

/** Every listed asset as the registry has it, by id. */
async function listed(registry: TestRegistry): Promise<Map<string, string>> {
  const entries = await follow(registry, `${ASSETS}?limit=1000&opt_fields=*`);
  return new Map(entries.map((entry) => [entry.id, JSON.stringify(entry)]));
}

async function copied(copy: TestCopy): Promise<Map<string, string>> {
  const documents = await copy.documents();
  return new Map(Array.from(documents, ([id, text]) => [id, JSON.stringify(JSON.parse(text))]));
}

async function expectSame(copy: TestCopy, registry: TestRegistry): Promise<void> {
  expect(await copied(copy)).toEqual(await listed(registry));
}

describe.each(databases)('registry-sync of a registry on $name', (kind) => {
  let registry: TestRegistry;
  let owned: Owned;

  beforeAll(async () => {
    registry = await TestRegistry.start(kind);
    owned = await publish(registry, { description: 'Рядок\nдругий 🚀' });
    await addAssets(registry.databaseUrl, ASSETS_MANY);
    for (const status of ['draft', 'deleted', 'active', 'complete']) await createIn(registry, status);
  });
  afterAll(() => registry?.stop());

  describe.each(copies)('to $name', ({ create: createCopy }) => {
    let copy: TestCopy;
    const sync = (...options: string[]): ReturnType<typeof SyncProcess.run> =>
      SyncProcess.run(registry.url, '--to', copy.target, ...options);

    beforeEach(async () => {
      copy = await createCopy();
    });
    afterEach(() => copy.drop());

    it('copies all that is listed, byte for byte, and then only what is new', async () => {
      const { size } = await listed(registry);
      const { code, stdout } = await sync();
      expect([code, stdout]).toEqual([0, expect.stringMatching(`^${size} assets written; .* holds the feed up to 20`)]);
      await expectSame(copy, registry);
      const { text } = await read(registry, owned);
      expect(`{"data":${(await copy.documents()).get(owned.id)}}`).toBe(text);
      await change(registry, owned, { title: `Нова назва ${copy.target}` });
      expect((await sync()).stdout).toMatch(/^1 assets written/);
      await expectSame(copy, registry);
    });

    it('copies the same by pages, and the newest first', async () => {
      const { code, stderr } = await sync('--no-snapshot', '--json');
      expect(code).toBe(0);
      expect(stderr).not.toContain('snapshot');
      await expectSame(copy, registry);
      const [, other] = [await copy.drop(), await createCopy()];
      copy = other;
      expect((await sync('--newest-first')).code).toBe(0);
      await expectSame(copy, registry);
      await change(registry, owned, { title: `Ще одна ${copy.target}` });
      await sync();
      await expectSame(copy, registry);
    });

    it('follows: what is changed comes while it runs, and SIGTERM ends it well', async () => {
      const runner = SyncProcess.start([registry.url, '--to', copy.target, '--follow', '--poll', '0.05']);
      await runner.told(({ step }) => step === 'caught up');
      const { id } = await publish(registry);
      // The registry is in this process: it needs its turns.
      while (!(await copy.documents()).has(id)) await turn();
      const ended = await runner.kill('SIGTERM');
      expect([ended.code, ended.stdout]).toEqual([0, expect.stringContaining('holds the feed up to')]);
      await expectSame(copy, registry);
    });

    it('keeps some fields, and asset types, and refuses others later', async () => {
      expect((await sync('--fields', 'title,value', '--type', 'basic')).code).toBe(0);
      const document = JSON.parse((await copy.documents()).get(owned.id) as string) as object;
      expect(Object.keys(document)).toEqual(['id', 'dateModified', 'title', 'value']);
      const other = await sync('--fields', 'title');
      expect([other.code, other.stderr]).toEqual([
        2,
        expect.stringContaining('begun with --fields title,value: --resync'),
      ]);
      expect((await sync('--fields', 'title,value')).code).toBe(0);
      expect((await sync('--resync', '--type', 'compound')).code).toBe(0);
      expect((await copy.documents()).size).toBe(0);
    });

    it('lets no second runner write, and says how far it is', async () => {
      const runner = SyncProcess.start([registry.url, '--to', copy.target, '--follow', '--poll', '600']);
      await runner.told(({ step }) => step === 'caught up');
      const second = await sync();
      expect([second.code, second.stderr]).toEqual([4, expect.stringContaining('Another registry-sync is writing to')]);
      const status = JSON.parse((await SyncProcess.run('status', copy.target, '--json')).stdout) as object;
      const { size } = await listed(registry);
      expect(status).toMatchObject({ url: registry.url, assets: size, behindSeconds: 0, isOtherHistory: false });
      await runner.kill('SIGKILL');
      expect((await sync()).code).toBe(0);
    });
  });
});

describe('registry-sync', () => {
  const kind = databases[0] as TestDatabaseKind;

  describe.each(copies)('to $name', ({ create: createCopy }) => {
    let copy: TestCopy;
    beforeEach(async () => {
      copy = await createCopy();
    });
    afterEach(() => copy.drop());

    it('stops at another history, and makes the copy anew beside the old one', async () => {
      const [first, second] = [await TestRegistry.start(kind), await TestRegistry.start(kind)];
      await publish(first);
      await publish(second);
      await SyncProcess.run(first.url, '--to', copy.target);
      const before = await copied(copy);
      const stopped = await SyncProcess.run(second.url, '--to', copy.target);
      expect([stopped.code, stopped.stderr]).toEqual([3, expect.stringMatching(/another history.*--resync/)]);
      expect((await SyncProcess.run('verify', second.url, copy.target)).code).toBe(3);
      expect((await SyncProcess.run('status', copy.target)).stdout).toContain('has nothing newer');
      expect(await copied(copy)).toEqual(before);
      expect((await SyncProcess.run(second.url, '--to', copy.target, '--resync')).code).toBe(0);
      await expectSame(copy, second);
      expect((await SyncProcess.run(second.url, '--to', copy.target)).code).toBe(0);
      expect((await SyncProcess.run(second.url, '--to', copy.target, '--resync')).code).toBe(0);
      await expectSame(copy, second);
      await Promise.all([first.stop(), second.stop()]);
    });

    it('of an empty registry is empty, and goes on', async () => {
      const registry = await TestRegistry.start(kind);
      for (const words of [[], ['--newest-first'], ['--no-snapshot']])
        expect((await SyncProcess.run(registry.url, '--to', copy.target, ...words)).code).toBe(0);
      await publish(registry);
      expect((await SyncProcess.run(registry.url, '--to', copy.target)).stdout).toMatch(/^1 assets written/);
      await expectSame(copy, registry);
      expect((await SyncProcess.run('verify', registry.url, copy.target)).code).toBe(0);
      await registry.stop();
    });

    it('tells when nothing is there', async () => {
      const { code, stderr } = await SyncProcess.run('status', copy.target);
      expect([code, stderr]).toEqual([1, expect.stringMatching(/^registry-sync: There is no (?:copy|file)/)]);
    });
  });

  it('tells its progress once a second, in JSON where nobody looks', async () => {
    const registry = await TestRegistry.start(kind);
    await publish(registry);
    const copy = await (copies[0] as (typeof copies)[0]).create();
    const runner = SyncProcess.start([registry.url, '--to', copy.target, '--follow', '--json']);
    await runner.told(({ waiting }) => waiting !== null);
    const { stdout } = await runner.kill('SIGINT');
    // On a machine that has much to do, a second may be over before it has caught up.
    expect(runner.lines.find(({ waiting }) => waiting !== null)).toEqual({
      step: 'caught up',
      percent: 100,
      assets: 1,
      assetsPerSecond: expect.any(Number),
      secondsLeft: 0,
      lastAssetId: expect.stringMatching(/^UA-/),
      waiting: { reason: 'caught up', ms: expect.any(Number) },
    });
    expect(JSON.parse(stdout)).toMatchObject({ copy: copy.target, assets: 1, isWhole: true });
    await copy.drop();
    await registry.stop();
  });

  it.each([
    ['nothing'],
    ['ftp://registry', '--to', 'sqlite:x'],
    ['http://127.0.0.1:1'],
    ['http://127.0.0.1:1', '--to', 'postgres://x'],
    ['http://127.0.0.1:1', '--to', 'sqlite:x', '--fields', 'a b'],
    ['http://127.0.0.1:1', '--to', 'sqlite:x', '--unknown'],
    ['status'],
  ])('ends with 2 for a call that it does not understand: %s %s %s', async (...words) => {
    const { code, stderr } = await SyncProcess.run(...words);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/./)]);
  });

  it.each([['--help'], ['verify', '--help'], ['--version']])('ends with 0 for %s %s', async (...words) => {
    expect((await SyncProcess.run(...words)).code).toBe(0);
  });

  it('takes no table for a copy that it has not made: a registry’s own database least of all', async () => {
    const registry = await TestRegistry.start(kind);
    await create(registry);
    await registry.close();
    for (const words of [[], ['--resync']]) {
      const { code, stderr } = await SyncProcess.run('http://127.0.0.1:1', '--to', registry.databaseUrl, ...words);
      expect([code, stderr]).toEqual([1, expect.stringContaining('holds a table "asset" that is not of a copy')]);
    }
    await registry.drop();
  });
});
