import { describe, expect, it } from '@jest/globals';
import { describeHistories, firstViolation, SIZE } from '../series/histories.js';
import { type Setting, SETTINGS, simulate } from '../simulation/simulate.js';

/** Number of seeds after which the search for a violation ends. */
const MAX_SEEDS = 500;

describeHistories(25);

describe('the simulation', () => {
  const [, , mariaDb, withoutBinaryLog] = SETTINGS as [Setting, Setting, Setting, Setting];

  it('gives the same history for the same seed, and others for others', async () => {
    const first = await simulate({ seed: 7, setting: mariaDb, ...SIZE });
    expect(await simulate({ seed: 7, setting: mariaDb, ...SIZE })).toEqual(first);
    expect(await simulate({ seed: 8, setting: mariaDb, ...SIZE })).not.toEqual(first);
  });

  it('has crashes, kills, and still acknowledged changes', async () => {
    const outcomes = await Promise.all(
      [1, 2, 3, 4, 5, 6, 7, 8].map((seed) => simulate({ seed, setting: mariaDb, ...SIZE })),
    );
    const sum = (of: 'changes' | 'crashes' | 'kills'): number =>
      outcomes.reduce((total, outcome) => total + outcome[of], 0);
    expect(sum('crashes')).toBeGreaterThan(0);
    expect(sum('kills')).toBeGreaterThan(0);
    expect(sum('changes')).toBeGreaterThan(8 * SIZE.operations * 0.5);
  });

  it('finds missed changes if torn views are assumed to be atomic', async () => {
    const setting: Setting = { ...mariaDb, assumed: { views: 'atomic', visible: 'when durable' } };
    expect(await firstViolation(setting, MAX_SEEDS, /missed/)).toBeDefined();
  });

  it('finds phantoms if visible commits are assumed to be durable', async () => {
    const setting: Setting = { ...withoutBinaryLog, assumed: { views: 'torn', visible: 'when durable' } };
    expect(await firstViolation(setting, MAX_SEEDS, /phantom/)).toBeDefined();
  });
});
