import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readlinkSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { removeFolder } from '../../scripts/machine/remove-folder.js';
import { TIME_BUDGETS_MS } from '../../src/platform/config/time-budgets.js';
import { ASSETS, change, type Owned, publish } from '../support/assets.js';
import { embedded, type TestDatabase } from '../support/databases.js';
import { addAssets } from '../support/many-assets.js';
import { migrate } from '../support/migrated.js';
import { patiently } from '../support/patience.js';
import { TestRegistry } from '../support/registry.js';
import { until } from '../support/until.js';

/** Together far more than the buffers of a connection hold, as they cannot be compressed. */
const COUNT = 400;
const LONG = randomBytes(37_000).toString('base64');
/** The newest snapshot, and two older ones. */
const KEPT = 3;

describe.each(embedded)('slow readers of snapshots on $name', (kind) => {
  const folder = mkdtempSync(join(tmpdir(), 'registry-slow-snapshots-'));
  let database: TestDatabase | undefined;
  let registry: TestRegistry;
  let owned: Owned;

  beforeAll(async () => {
    // However busy the machine is, each of them is complete when it is answered.
    jest.replaceProperty(TIME_BUDGETS_MS as Record<'snapshot', number>, 'snapshot', 600_000);
    database = await kind.create();
    await migrate(database.url);
    registry = await TestRegistry.startOn(database.url, { SNAPSHOT_FOLDER: folder, SNAPSHOT_MAX_AGE: '0' });
    await publish(registry, { description: LONG });
    await addAssets(database.url, COUNT - 1);
    owned = await publish(registry);
  });
  afterAll(async () => {
    await registry?.close();
    await database?.drop();
    removeFolder(folder);
    jest.restoreAllMocks();
  });

  /** A new snapshot, of which nothing is read for now. */
  const begin = async (): Promise<IncomingMessage> => {
    const changed = await patiently(() => change(registry, owned, { title: randomBytes(8).toString('hex') }));
    expect(changed.status).toBe(200);
    const [answer] = (await once(get(`${registry.url}${ASSETS}/snapshot.jsonl.gz`, { agent: false }), 'response')) as [
      IncomingMessage,
    ];
    return answer.on('error', () => undefined);
  };
  const openFiles = (): number =>
    readdirSync('/proc/self/fd').filter((name) => {
      try {
        return readlinkSync(`/proc/self/fd/${name}`).startsWith(folder);
      } catch {
        return false;
      }
    }).length;

  it('keep two older ones on disk, and those of others are cut off', async () => {
    const readers: IncomingMessage[] = [];
    for (let i = 0; i < KEPT; i++) readers.push(await begin());
    expect(openFiles()).toBe(KEPT);
    const newest = await begin();
    const [oldest, ...others] = readers as [IncomingMessage, IncomingMessage, IncomingMessage];
    await expect(buffer(oldest)).rejects.toThrow('aborted');
    await until(() => openFiles() === KEPT);
    for (const reader of [...others, newest]) {
      const lines = gunzipSync(await buffer(reader))
        .toString()
        .trimEnd()
        .split('\n');
      expect(lines).toHaveLength(1 + COUNT + 1);
    }
    await until(() => openFiles() === 1);
  });
});
