import { describe, expect, it } from '@jest/globals';
import { type Setting, SETTINGS, simulate } from './simulation/simulate.js';

/*
 * The real ledger and the real feed over a database in memory: locks, views that may be torn, commits that are visible before they are
 * durable, crashes, lost connections, frozen processes and wrong clocks, in virtual time. One seed is one history.
 * A seed that fails: npm run test:simulation -- --seed <seed> --setting '<name>'
 */

const SEEDS = 500;
const FIRST_SEED = Number(process.env.SIMULATION_SEED ?? 1);
const SIZE = { operations: 100, writers: 6 };
const MINUTES = 6 * 60 * 1_000;

/** The first seed that breaks a promise, with what it broke. */
async function firstViolation(setting: Setting, seeds: number): Promise<string | undefined> {
  for (let seed = FIRST_SEED; seed < FIRST_SEED + seeds; seed++) {
    const { violations } = await simulate({ seed, setting, ...SIZE });
    if (violations.length > 0) return `seed ${seed} on ${setting.name}: ${violations.join('\n')}`;
  }
  return undefined;
}

describe(`${SEEDS} histories from seed ${FIRST_SEED} on`, () => {
  it.each(SETTINGS)(
    'break no promise on $name',
    async (setting) => expect(await firstViolation(setting, SEEDS)).toBeUndefined(),
    MINUTES,
  );
});

describe('the simulation', () => {
  const [, , mariaDb, withoutBinaryLog] = SETTINGS as [Setting, Setting, Setting, Setting];

  it('gives the same history for the same seed, and others for others', async () => {
    const first = await simulate({ seed: 7, setting: mariaDb, ...SIZE });
    expect(await simulate({ seed: 7, setting: mariaDb, ...SIZE })).toEqual(first);
    expect(await simulate({ seed: 8, setting: mariaDb, ...SIZE })).not.toEqual(first);
  });

  it('has crashes, kills, and changes that are acknowledged all the same', async () => {
    const outcomes = await Promise.all(
      [1, 2, 3, 4, 5, 6, 7, 8].map((seed) => simulate({ seed, setting: mariaDb, ...SIZE })),
    );
    const sum = (of: 'changes' | 'crashes' | 'kills'): number =>
      outcomes.reduce((total, outcome) => total + outcome[of], 0);
    expect(sum('crashes')).toBeGreaterThan(0);
    expect(sum('kills')).toBeGreaterThan(0);
    expect(sum('changes')).toBeGreaterThan(8 * SIZE.operations * 0.5);
  });

  it('finds changes missed when torn views are taken for atomic ones', async () => {
    const setting: Setting = { ...mariaDb, believed: { views: 'atomic', visible: 'when durable' } };
    expect(await firstViolation(setting, SEEDS)).toMatch(/missed/);
  });

  it('finds phantoms when commits are taken to be durable that are only visible', async () => {
    const setting: Setting = { ...withoutBinaryLog, believed: { views: 'torn', visible: 'when durable' } };
    expect(await firstViolation(setting, SEEDS)).toMatch(/phantom/);
  });
});
