import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { assetBody, post } from '../support/assets.js';
import { embedded, type TestDatabase } from '../support/databases.js';
import { migrate } from '../support/migrated.js';
import { newFolder } from '../support/new-folder.js';
import { builtService, runCli, ServiceProcess } from '../support/process.js';

/** A umask that makes new files accessible to all users. */
const OPEN = '--import=data:text/javascript,process.umask(0)';

describe.each(embedded)('the files of a service on $name that is started with the umask 000', (kind) => {
  let parent: string;
  let database: TestDatabase | undefined;
  beforeEach(async () => {
    parent = newFolder();
    if (kind.name === 'SQLite') return;
    database = await kind.create();
    await migrate(database.url);
  });
  afterEach(() => database?.drop());

  it('can be read by their owner only, and other users cannot replace them', async () => {
    const data = join(parent, 'data');
    const env = {
      DATABASE_URL: database?.url ?? `sqlite:${join(data, 'registry.sqlite')}`,
      SEARCH_INDEX: join(data, 'search.sqlite'),
      SNAPSHOT_FOLDER: join(data, 'snapshots'),
      NODE_OPTIONS: OPEN,
    };
    const service = await ServiceProcess.start(env, [builtService()]);
    expect((await post(service, assetBody())).status).toBe(201);
    expect((await service.send('/api/0.1/assets/snapshot.jsonl.gz')).status).toBe(200);
    expect((await runCli(['backup', join(data, 'backup.sqlite')], env)).code).toBe(0);
    expect((await runCli(['log', 'init', 'registry.example/log', join(data, 'log.key')], env)).code).toBe(0);
    const found = readdirSync(parent, { recursive: true, withFileTypes: true });
    const modes = found.flatMap((entry) => {
      // Temporary files may be gone meanwhile.
      const stats = statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false });
      if (stats === undefined) return [];
      return [[entry.name, entry.isDirectory() ? 'folder' : 'file', (stats.mode & 0o777).toString(8)]];
    });
    expect(modes.filter(([, what]) => what === 'folder').length).toBeGreaterThanOrEqual(2);
    expect(modes.filter(([, what]) => what === 'file').length).toBeGreaterThanOrEqual(5);
    expect(modes.filter(([, what, mode]) => mode !== (what === 'folder' ? '755' : '600'))).toEqual([]);
    await service.kill('SIGTERM');
  });
});
