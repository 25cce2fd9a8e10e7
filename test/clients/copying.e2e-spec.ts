import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { change, createIn, type Owned, publish, read } from '../support/assets.js';
import { copies, type TestCopy } from '../support/copies.js';
import { databases, type TestDatabaseKind } from '../support/databases.js';
import { addAssets } from '../support/many-assets.js';
import { TestRegistry } from '../support/registry.js';
import { expectSame, listed } from '../support/same-copy.js';
import { until } from '../support/until.js';
import { syncCommand } from '../support/sync-command.js';
import { SyncProcess } from '../support/sync-process.js';

const [sqlite] = databases as [TestDatabaseKind];

/** More than a page, and then some. */
const ASSETS_MANY = 1_200;

/* The runner reads by HTTP; differences between the registry's databases are tested in test/feed and test/api. */
describe('registry-sync of a registry on SQLite', () => {
  let registry: TestRegistry;
  let owned: Owned;

  beforeAll(async () => {
    // One from before a change would have the runner write that asset twice.
    registry = await TestRegistry.start(sqlite, { SNAPSHOT_MAX_AGE: '0' });
    owned = await publish(registry, { description: 'Рядок\nдругий 🚀' });
    await addAssets(registry.databaseUrl, ASSETS_MANY);
    for (const status of ['draft', 'deleted', 'active', 'complete']) await createIn(registry, status);
  });
  afterAll(() => registry?.stop());

  describe.each(copies)('to $name', ({ create: createCopy }) => {
    let copy: TestCopy;
    const sync = (...options: string[]): ReturnType<typeof syncCommand> =>
      syncCommand(registry.url, '--to', copy.target, ...options);

    beforeEach(async () => {
      copy = await createCopy();
    });
    afterEach(() => copy.drop());

    it('copies all listed assets, byte for byte, and then only changes', async () => {
      const { size } = await listed(registry);
      const { code, stdout } = await sync();
      expect([code, stdout]).toEqual([0, expect.stringMatching(`^${size} assets written; .* has the feed up to 20`)]);
      await expectSame(copy, registry);
      const { text } = await read(registry, owned);
      expect(`{"data":${(await copy.documents()).get(owned.id)}}`).toBe(text);
      await change(registry, owned, { title: `Нова назва ${copy.target}` });
      expect((await sync()).stdout).toMatch(/^1 asset written/);
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

    it('follows: changes arrive while it runs, and SIGTERM ends it with 0', async () => {
      const runner = SyncProcess.start([registry.url, '--to', copy.target, '--follow']);
      await runner.progressLine(({ step }) => step === 'caught up');
      const { id } = await publish(registry);
      await until(async () => (await copy.documents()).has(id));
      const ended = await runner.kill('SIGTERM');
      expect([ended.code, ended.stdout]).toEqual([0, expect.stringContaining('has the feed up to')]);
      await expectSame(copy, registry);
    });

    it('copies chosen fields and asset types, and refuses others later', async () => {
      expect((await sync('--fields', 'title,value', '--type', 'basic')).code).toBe(0);
      const document = JSON.parse((await copy.documents()).get(owned.id) as string) as object;
      expect(Object.keys(document)).toEqual(['id', 'dateModified', 'title', 'value']);
      const other = await sync('--fields', 'title');
      expect([other.code, other.stderr]).toEqual([
        2,
        expect.stringContaining('begun with --fields title,value: --resync'),
      ]);
      expect((await sync('--fields', 'value,title')).code).toBe(0);
      expect((await sync('--resync', '--type', 'compound')).code).toBe(0);
      expect((await copy.documents()).size).toBe(0);
    });

    it('lets no second runner write, and says how far it is', async () => {
      const runner = SyncProcess.start([registry.url, '--to', copy.target, '--follow', '--poll', '600']);
      await runner.progressLine(({ step }) => step === 'caught up');
      const second = await sync();
      expect([second.code, second.stderr]).toEqual([4, expect.stringContaining('Another registry-sync is writing to')]);
      const status = JSON.parse((await syncCommand('status', copy.target, '--json')).stdout) as object;
      const { size } = await listed(registry);
      const state = { url: registry.url, assets: size, follows: null, isOtherHistory: false };
      expect(status).toMatchObject({ ...state, behindAssets: 0, behindSeconds: 0 });
      for (let i = 0; i < 2; i++) await publish(registry);
      const later = JSON.parse((await syncCommand('status', copy.target, '--json')).stdout) as object;
      expect(later).toMatchObject({ ...state, behindAssets: 2, behindSeconds: expect.any(Number) });
      expect(later).not.toHaveProperty('behindSeconds', 0);
      expect((await syncCommand('status', copy.target)).stdout).toMatch(
        /^registry +is ahead by 2 assets, for 0:\d\d /m,
      );
      await runner.kill('SIGKILL');
      expect((await sync()).code).toBe(0);
    });
  });
});
