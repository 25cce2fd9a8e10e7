import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { besideRegistry } from '../support/once-free.js';
import { newLogKey } from '../../src/log/log-keys.js';
import { change, create, type Owned, publish } from '../support/assets.js';
import { embedded } from '../support/databases.js';
import { type Attack, ATTACKS, OperatedDatabase } from '../support/log-adversary.js';
import { checkpointOf, type SeenCheckpoint } from '../support/log-reader.js';
import { LogFault, type SeenLog, verifyLog } from '../support/log-verifier.js';
import { Random } from '../support/random.js';
import { TestRegistry } from '../support/registry.js';

const ASSETS = 6;
const CHANGES = 16;

/** The first place that is wrong; undefined where nothing is. */
export async function faultOf(registry: TestRegistry, seen: SeenLog): Promise<LogFault | undefined> {
  try {
    await verifyLog(registry, seen.publicKey, seen);
    return undefined;
  } catch (error) {
    if (error instanceof LogFault) return error;
    throw error;
  }
}

/** The tests of what a verifier finds after so many changes of the database behind the service. */
export function describeLogAdversary(attacks: number, seed: number): void {
  describe.each(embedded)(`an operator who changes the database behind the log on $name, seed ${seed}`, (kind) => {
    const random = new Random(seed);
    let registry: TestRegistry;
    let source: DataSource;
    let database: OperatedDatabase;
    let seen: SeenLog;

    beforeAll(async () => {
      registry = await TestRegistry.start(kind, { LOG_KEY: newLogKey('registry.example.org/log') });
      const assets: Owned[] = [];
      for (let i = 0; i < ASSETS; i++) assets.push(await publish(registry, { title: `asset ${i}` }));
      await create(registry);
      const earlier: SeenCheckpoint = await checkpointOf(registry, ASSETS);
      // The last ones stay as they were published.
      for (let i = 0; i < CHANGES; i++)
        await change(registry, random.pick(assets.slice(0, -2)), { title: `title ${i}` });
      await checkpointOf(registry, ASSETS + CHANGES);
      source = await besideRegistry(registry.databaseUrl);
      database = await OperatedDatabase.take(source, earlier);
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
      await database.putBack();
      return [place, fault?.place, fault?.message];
    };

    it('is found by nobody who does nothing', async () => {
      expect(await faultOf(registry, seen)).toBeUndefined();
      expect(seen.checkpoint.size).toBe(ASSETS + CHANGES);
    });

    it.each(Object.entries(ATTACKS))('is found at the entry where one %s', async (_, attack) => {
      const [place, found, why] = await attacked(attack);
      expect([found, why]).toEqual([place, expect.any(String)]);
    });

    it(`is found at the entry, whatever of it one does ${attacks} times`, async () => {
      for (let i = 0; i < attacks; i++) {
        const name = random.pick(Object.keys(ATTACKS));
        const [place, found] = await attacked(ATTACKS[name] as Attack);
        expect([i, name, found]).toEqual([i, name, place]);
      }
      expect(await faultOf(registry, seen)).toBeUndefined();
    }, 600_000);
  });
}
