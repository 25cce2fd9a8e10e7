import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { openWriter } from '../support/retry-while-locked.js';
import { checksumOf } from '../../src/database/readers/body-delta.js';
import { newLogKey } from '../../src/log/log-keys.js';
import { change, create, type Owned, publish } from '../support/assets.js';
import { embedded } from '../support/databases.js';
import { TamperedDatabase, type Row } from '../support/tampered-database.js';
import { checkpointOf, type SeenCheckpoint } from '../support/log-reader.js';
import { faultOf, type VerifierState, verifyLog } from '../support/log-verifier.js';
import { Random } from '../support/random.js';
import { TestRegistry } from '../support/registry.js';

const ASSETS = 6;
const CHANGES = 16;
const SEED = 52;
/** By hand: LOG_ATTACKS=10000. */
const TIMES = Number(process.env.LOG_ATTACKS ?? 20);

/** Changes the database behind the service's back. @returns the place of the first wrong entry */
type Attack = (database: TamperedDatabase, random: Random) => Promise<number>;

/** With every character as it may be: only the value is another one. */
function tampered(body: unknown, random: Random): string {
  return String(body).replace(/"title":"/, () => `"title":"${random.int(0, 1e9)} `);
}

const changeLogEntry =
  (set: string): Attack =>
  async (database, random) => {
    const { place } = random.pick(await database.run('SELECT place FROM log_entry'));
    await database.run(`UPDATE log_entry SET ${set} WHERE place = ?`, [place]);
    return Number(place);
  };

const OTHER_COMMITMENT = Buffer.alloc(32, 5).toString('base64');

const ATTACKS: Record<string, Attack> = {
  'changes an earlier state, and its checksum': async (database, random) => {
    const revision = random.pick(await database.revisions());
    const body = tampered(revision['body'], random);
    await database.rewrite(revision['until_us'], body, checksumOf(body));
    return database.placeOf(revision['modified_us']);
  },
  'changes an earlier state, and not its checksum': async (database, random) => {
    const revision = random.pick(await database.revisions());
    await database.rewrite(revision['until_us'], tampered(revision['body'], random), revision['checksum']);
    return database.placeOf(revision['modified_us']);
  },
  'changes the present state': async (database, random) => {
    const asset = random.pick(await database.run('SELECT * FROM asset WHERE feed_us IS NOT NULL'));
    await database.run('UPDATE asset SET body = ? WHERE id = ?', [tampered(asset['body'], random), asset['id']]);
    return database.placeOf(asset['modified_us']);
  },
  'makes the present state no JSON': async (database, random) => {
    const asset = random.pick(await database.run('SELECT * FROM asset WHERE feed_us IS NOT NULL'));
    await database.run('UPDATE asset SET body = ? WHERE id = ?', [`${String(asset['body'])}x`, asset['id']]);
    return database.placeOf(asset['modified_us']);
  },
  'gives an asset to another owner': async (database, random) => {
    const asset = random.pick(await database.run('SELECT * FROM asset WHERE version = 2 AND feed_us IS NOT NULL'));
    await database.run('UPDATE asset SET owner = ? WHERE id = ?', ['somebody', asset['id']]);
    return database.placeOf(asset['modified_us']);
  },
  'deletes an earlier state': async (database, random) => {
    const revision = random.pick(await database.revisions());
    await database.run('DELETE FROM revision WHERE until_us = ?', [revision['until_us']]);
    return database.placeOf(revision['modified_us']);
  },
  'inserts a state that never was': async (database, random) => {
    const revision = random.pick(await database.revisions());
    const us = Number(revision['until_us']) - 1;
    const row: Row = { ...revision, modified_us: us, until_us: us, changed: '["title"]' };
    const sql = `INSERT INTO revision (${Object.keys(row).join(', ')}) VALUES (${Object.keys(row).map(() => '?').join(', ')})`; // prettier-ignore
    await database.run(sql, Object.values(row));
    const [counted] = await database.run('SELECT COUNT(*) AS count FROM log_entry WHERE modified_us < ?', [us]);
    return Number(counted?.['count']);
  },
  'swaps two states': async (database, random) => {
    const revisions = await database.revisions();
    const one = random.pick(revisions);
    // Two that are the same cannot be swapped.
    const other = random.pick(revisions.filter(({ body }) => body !== one['body']));
    await database.rewrite(one['until_us'], other['body'], other['checksum']);
    await database.rewrite(other['until_us'], one['body'], one['checksum']);
    return Math.min(await database.placeOf(one['modified_us']), await database.placeOf(other['modified_us']));
  },
  'deletes an entry': async (database, random) => {
    const { place } = random.pick(await database.run('SELECT place FROM log_entry'));
    await database.run('DELETE FROM log_entry WHERE place = ?', [place]);
    return Number(place);
  },
  'changes when an entry’s asset was created': changeLogEntry('created_us = created_us + 1'),
  'changes the commitment of an entry': changeLogEntry(`commitment = '${OTHER_COMMITMENT}'`),
  'says that a state was damaged': changeLogEntry('commitment = NULL'),
  'changes the asset of an entry': changeLogEntry(`asset = '${'0'.repeat(32)}'`),
  'changes what opens an entry': changeLogEntry(`opening = '{"secret":"${OTHER_COMMITMENT}"}'`),
  'puts the log back to what it was': async (database) => {
    const { size, note } = database.earlier;
    await database.run('DELETE FROM log_entry WHERE place >= ?', [size]);
    await database.run('UPDATE log_head SET size = ?, checkpoint = ? WHERE id = 1', [size, note]);
    return size;
  },
};

describe.each(embedded)(`an operator who tampers with the log’s database on $name, seed ${SEED}`, (kind) => {
  const random = new Random(SEED);
  let registry: TestRegistry;
  let source: DataSource;
  let database: TamperedDatabase;
  let seen: VerifierState;

  beforeAll(async () => {
    registry = await TestRegistry.start(kind, { LOG_KEY: newLogKey('registry.example.org/log') });
    const assets: Owned[] = [];
    for (let i = 0; i < ASSETS; i++) assets.push(await publish(registry, { title: `asset ${i}` }));
    await create(registry);
    const earlier: SeenCheckpoint = await checkpointOf(registry, ASSETS);
    // The last ones stay as they were published.
    for (let i = 0; i < CHANGES; i++) await change(registry, random.pick(assets.slice(0, -2)), { title: `title ${i}` });
    await checkpointOf(registry, ASSETS + CHANGES);
    source = await openWriter(registry.databaseUrl);
    database = await TamperedDatabase.take(source, earlier);
    const { log } = (await registry.send('/api/0.1/spore')).json as { log: { publicKey: string } };
    seen = await verifyLog(registry, log.publicKey);
  });
  afterAll(async () => {
    await source?.destroy();
    await registry?.stop();
  });

  /** @returns the place that was changed, and the place that a verifier names, with its reason */
  const attacked = async (attack: Attack): Promise<[number, number | undefined, string | undefined]> => {
    const place = await attack(database, random);
    const fault = await faultOf(registry, seen);
    await database.restore();
    return [place, fault?.place, fault?.message];
  };

  it('is not reported without an attack', async () => {
    expect(await faultOf(registry, seen)).toBeUndefined();
    expect(seen.checkpoint.size).toBe(ASSETS + CHANGES);
  });

  it.each(Object.entries(ATTACKS))('is found at the right entry if an operator %s', async (_, attack) => {
    const [place, found, why] = await attacked(attack);
    expect([found, why]).toEqual([place, expect.any(String)]);
  });

  it(`is found at the entry, whatever of it one does ${TIMES} times`, async () => {
    for (let i = 0; i < TIMES; i++) {
      const name = random.pick(Object.keys(ATTACKS));
      const [place, found] = await attacked(ATTACKS[name] as Attack);
      expect([i, name, found]).toEqual([i, name, place]);
    }
    expect(await faultOf(registry, seen)).toBeUndefined();
  }, 600_000);
});
