import { describe, expect, it } from '@jest/globals';
import { type Setting, SETTINGS, simulate } from '../simulation/simulate.js';

/*
 * The real ledger and the real feed over a database in memory: locks, views that may be torn, commits that are visible before they are
 * durable, crashes, lost connections, frozen processes and wrong clocks, in virtual time. One seed is one history.
 * A seed that fails is repeated with SIMULATION_SEED=<seed> SIMULATION_SEEDS=1.
 */

const FIRST_SEED = Number(process.env.SIMULATION_SEED ?? 1);
export const SIZE = { operations: 100, writers: 6 };
const LONGEST_MS = 10 * 60_000;

/** The first of so many seeds that breaks a promise, or one of a kind of promises, with all that it broke. */
export async function firstViolation(setting: Setting, seeds: number, kind = /^/): Promise<string | undefined> {
  for (let seed = FIRST_SEED; seed < FIRST_SEED + seeds; seed++) {
    const { violations } = await simulate({ seed, setting, ...SIZE });
    if (violations.some((violation) => kind.test(violation)))
      return `seed ${seed} on ${setting.name}: ${violations.join('\n')}`;
  }
  return undefined;
}

/** The tests of so many histories on each kind of database. */
export function describeHistories(seeds: number): void {
  describe(`${seeds} histories from seed ${FIRST_SEED} on`, () => {
    it.each(SETTINGS)(
      'break no promise on $name',
      async (setting) => expect(await firstViolation(setting, seeds)).toBeUndefined(),
      LONGEST_MS,
    );
  });
}
