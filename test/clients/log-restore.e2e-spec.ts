import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { newLogKey } from '../../src/log/log-keys.js';
import { publish } from '../support/assets.js';
import { command } from '../support/commands.js';
import { databases, type TestDatabase, type TestDatabaseKind } from '../support/databases.js';
import { checkpointOf, LOG } from '../support/log-reader.js';
import { migrate } from '../support/migrated.js';
import { TestRegistry } from '../support/registry.js';
import { syncCommand } from '../support/sync-command.js';
import { until } from '../support/until.js';

const REFUTED = 6;
const LOG_KEY = newLogKey('registry.example.org/log');

describe('a registry that was restored', () => {
  let folder: string;
  let database: TestDatabase;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'log-restore-'));
    database = await (databases[0] as TestDatabaseKind).create();
    await migrate(database.url);
  });
  afterEach(async () => {
    await database.drop();
    await rm(folder, { recursive: true });
  });

  it('is refused by a mirror, which is told what is gone, until that is accepted', async () => {
    const [backup, copy] = [join(folder, 'backup.sqlite'), `sqlite:${join(folder, 'copy.sqlite')}`];
    const env = { DATABASE_URL: database.url };
    let registry = await TestRegistry.startOn(database.url, { LOG_KEY });
    for (let i = 0; i < 3; i++) await publish(registry);
    await checkpointOf(registry, 3);
    expect(await command(['backup', backup], env)).toMatchObject({ code: 0 });
    await publish(registry);
    await checkpointOf(registry, 4);
    expect(await syncCommand(registry.url, '--to', copy)).toMatchObject({ code: 0 });
    expect(await syncCommand('verify', registry.url, copy)).toMatchObject({ code: 0 });
    await registry.close();
    const replacing = ['restore', backup, '--replace', '--yes', 'registry.sqlite'];
    expect(await command([...replacing, '--after', new Date().toISOString()], env)).toMatchObject({ code: 0 });
    registry = await TestRegistry.startOn(database.url, { LOG_KEY });
    try {
      // Until it has signed under its new epoch, there is no checkpoint.
      await until(async () => (await registry.send(`${LOG}/checkpoint`)).status === 200);
      expect(await syncCommand(registry.url, '--to', copy, '--resync')).toMatchObject({ code: 0 });
      const verify = (...words: string[]) => syncCommand('verify', registry.url, copy, ...words);
      const refused = await verify();
      expect([refused.code, refused.stderr]).toEqual([
        REFUTED,
        expect.stringContaining('1 entries that were seen, from place 3 on, are gone'),
      ]);
      // A trial changes nothing.
      expect(await verify('--dry-run', '--accept-restore')).toMatchObject({ code: 0 });
      expect(await verify()).toMatchObject({ code: REFUTED });
      expect(await verify('--accept-restore')).toMatchObject({ code: 0 });
      expect(await verify()).toMatchObject({ code: 0 });
    } finally {
      await registry.close();
    }
  });
});
