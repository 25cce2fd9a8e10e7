import { copyFileSync, rmSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { newLogKey } from '../../src/log/log-keys.js';
import { change, publish } from '../support/assets.js';
import { databases, type TestDatabaseKind } from '../support/databases.js';
import { checkpointOf } from '../support/log-reader.js';
import { verifyLog } from '../support/log-verifier.js';
import { migrate } from '../support/migrated.js';
import { TestRegistry } from '../support/registry.js';
import { describeLogAdversary, faultOf } from '../series/log-adversary.js';

describeLogAdversary(15, 52);

describe('an operator who puts back an older file of SQLite', () => {
  it('is found at the first entry that it lacks, whatever comes after it', async () => {
    const database = await (databases[0] as TestDatabaseKind).create();
    await migrate(database.url);
    const file = database.url.slice('sqlite:'.length);
    const LOG_KEY = newLogKey('registry.example.org/log');
    let registry = await TestRegistry.startOn(database.url, { LOG_KEY });
    const owned = await publish(registry);
    await checkpointOf(registry, 1);
    await registry.close();
    copyFileSync(file, `${file}.older`);
    registry = await TestRegistry.startOn(database.url, { LOG_KEY });
    await change(registry, owned, { title: 'what shall not have been' });
    await checkpointOf(registry, 2);
    const { log } = (await registry.send('/api/0.1/spore')).json as { log: { publicKey: string } };
    const seen = await verifyLog(registry, log.publicKey);
    await registry.close();
    for (const part of ['-wal', '-shm']) rmSync(file + part, { force: true });
    copyFileSync(`${file}.older`, file);
    registry = await TestRegistry.startOn(database.url, { LOG_KEY });
    expect(await faultOf(registry, seen)).toMatchObject({ place: 1, message: 'smaller than before' });
    await change(registry, owned, { title: 'what shall have been' });
    await checkpointOf(registry, 2);
    expect(await faultOf(registry, seen)).toMatchObject({ place: 1, message: 'another entry than before' });
    await registry.close();
    await database.drop();
  });
});
