import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LogKeys, newLogKey } from '../../src/log/log-keys.js';
import { publish } from '../support/assets.js';
import { databases, type TestDatabase, type TestDatabaseKind } from '../support/databases.js';
import { checkpointOf, readCheckpoint } from '../support/log-reader.js';
import { TestWitness } from '../support/log-witness.js';
import { migrate } from '../support/migrated.js';
import { TestRegistry } from '../support/registry.js';
import { until } from '../support/until.js';

const LOG_KEY = newLogKey('registry.example.org/log');
const keyOf = (origin: string): string | undefined => LogKeys.parse(LOG_KEY).verifierKeys(origin)[0];

// The answers of witnesses are judged before a database hears of them.
describe('the log of a registry with witnesses, on SQLite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'witness-'));
  let database: TestDatabase;
  let witnesses: TestWitness[];
  let registry: TestRegistry;
  let size = 0;

  const start = async (): Promise<void> => {
    const LOG_WITNESSES = witnesses.map(({ setting }) => setting).join(' ');
    registry = await TestRegistry.startOn(database.url, { LOG_KEY, LOG_WITNESSES });
  };
  /** Which witnesses have cosigned the checkpoint after one more asset. */
  const cosigned = async (): Promise<boolean[]> => {
    await publish(registry);
    const { note } = await checkpointOf(registry, ++size);
    return witnesses.map((witness) => witness.hasCosigned(note));
  };
  /** The machine may stand still for longer than a witness is waited for: then the next checkpoint will have them. */
  const allCosign = (): Promise<void> => until(async () => (await cosigned()).every(Boolean));

  beforeAll(async () => {
    database = await (databases[0] as TestDatabaseKind).create();
    await migrate(database.url);
    witnesses = await Promise.all(
      ['one.example.org', 'two.example.org'].map((name, i) => TestWitness.start(name, join(folder, `${i}`), keyOf)),
    );
    await start();
  });
  afterAll(async () => {
    await registry?.close();
    for (const witness of witnesses) await witness.stop();
    await database?.drop();
    rmSync(folder, { recursive: true });
  });

  it('has their cosignatures beneath its own signature', async () => {
    await allCosign();
    await allCosign();
    const { origin, root } = await readCheckpoint(registry);
    expect(witnesses.map((witness) => witness.seen(origin))).toEqual([
      { size, root },
      { size, root },
    ]);
  });

  it('is published soon without one that never answers, or has seen another history', async () => {
    const [silent, misled] = witnesses as [TestWitness, TestWitness];
    const { origin } = await readCheckpoint(registry);
    const seen = misled.seen(origin);
    silent.behaviour = 'silent';
    misled.remember(origin, { size, root: Buffer.alloc(32).toString('base64') });
    // Waiting for the silent witness would never end.
    expect(await cosigned()).toEqual([false, false]);
    silent.behaviour = 'well';
    misled.remember(origin, seen);
    await allCosign();
  });
});
