import { describe, expect, it } from '@jest/globals';
import { leftOutOf, QUICK, WHOLE } from './extent.js';
import { WORK_IDS } from './works.js';

describe('the quick extent', () => {
  it('has one of each work, and says what it leaves out', () => {
    expect(QUICK.works.map(({ id }) => id)).toEqual(WORK_IDS);
    const lines = leftOutOf({ ...QUICK, processes: WHOLE.processes });
    expect(lines).toEqual([
      'assets: 1,000,000',
      expect.stringMatching(/^works: W2 page of 100, start; .*; W3 create, 1 connection; .*half of the lowest peak$/),
      'certainty: 2 rounds of 1 s in the place of 3 rounds of 3 s',
    ]);
    expect(leftOutOf({ ...WHOLE, processes: [] })[0]).toMatch(/^processes of each server: 1/);
  });

  it('leaves enough of five minutes for the build and the data, with Fastify', () => {
    const [warmUp, again, longer, servers, databases] = [1_000, 300, 3, 3, 2];
    const ofOne = warmUp + again + QUICK.rounds * (QUICK.ms + again);
    const works = QUICK.works.length + longer - 1;
    expect(servers * databases * works * ofOne).toBeLessThan(220_000);
  });
});

describe('the whole', () => {
  it('leaves nothing out', () => {
    expect(leftOutOf(WHOLE)).toEqual([]);
  });
});
