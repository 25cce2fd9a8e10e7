import { describe, expect, it } from '@jest/globals';
import { figuresOf, medianOf } from './figures.js';

const outcome = {
  answered: 100,
  assets: 100,
  failed: 1,
  times: Float64Array.from({ length: 100 }, (_, i) => i + 1),
  seconds: 2,
  generatorShare: 0.5,
  generatorCores: 0.75,
  usage: { service: 1, database: 0.5, machine: 4, rss: 1_000 },
};

describe('figuresOf', () => {
  it('counts a second, a processor second and an answer', () => {
    expect(figuresOf(outcome, 10)).toEqual({
      perSecond: 500,
      p50: 51,
      p95: 96,
      p99: 100,
      perCpuSecond: 1_000,
      serviceUs: 10_000,
      databaseUs: 5_000,
      serviceCores: 0.5,
      databaseCores: 0.25,
      otherCores: 0.5,
      rss: 1_000,
      failed: 1,
      generatorShare: 0.5,
      generatorCores: 0.75,
    });
  });
});

describe('otherCores', () => {
  it('are none where the kernel has counted less than the processes themselves', () => {
    const usage = { ...outcome.usage, machine: 2.9 };
    expect(figuresOf({ ...outcome, usage }, 1).otherCores).toBe(0);
  });
});

describe('medianOf', () => {
  it('takes the middle of each figure, adds up what failed and keeps the greatest memory', () => {
    const one = figuresOf(outcome, 1);
    const rounds = [
      { ...one, perSecond: 5, rss: 9 },
      { ...one, perSecond: 1, rss: 2 },
      { ...one, perSecond: 3, rss: 4 },
    ];
    expect(medianOf(rounds)).toMatchObject({ perSecond: 3, failed: 3, rss: 9 });
    expect(medianOf(rounds.slice(0, 2)).perSecond).toBe(3);
  });
});
