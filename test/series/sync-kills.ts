import { randomInt } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { TestCopyKind } from '../support/copies.js';
import { databases, type TestDatabaseKind } from '../support/databases.js';
import { Random } from '../support/random.js';
import { runKills } from '../sync-kills/run-kills.js';

const RUN_MS = 10 * 60_000;

/** The same seed makes the same choices; SYNC_SEED repeats a run that failed. */
const seed = Number(process.env.SYNC_SEED ?? randomInt(2 ** 31));

/** The tests of copies whose runner, and whose registry, is killed so often: the short form of `npm run test:sync-kills`. */
export function describeSyncKills(copies: readonly TestCopyKind[], kills: number, assets: number): void {
  describe(`while runner and service are killed (SYNC_SEED=${seed})`, () => {
    it.each(copies)(
      'every copy comes to be the same as the registry in $name',
      async ({ create }) => {
        const registry = await (databases[0] as TestDatabaseKind).create();
        const drops: (() => Promise<void>)[] = [() => registry.drop()];
        const newTarget = async (): Promise<string> => {
          const copy = await create();
          drops.push(() => copy.drop());
          return copy.target;
        };
        const random = new Random(seed);
        const report = await runKills({ random, kills, assets, databaseUrl: registry.url, newTarget });
        for (const drop of drops) await drop();
        expect(report.differences).toEqual([]);
        expect(report.runnerKills + report.serviceKills).toBeGreaterThanOrEqual(kills);
      },
      RUN_MS,
    );
  });
}
