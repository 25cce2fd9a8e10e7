import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Outcome, Plan } from './load/plan.js';
import { type Bench, measure } from './measure.js';
import type { Target } from './targets.js';
import { type Work, WORKS } from './works.js';

const targetOf = (url: string): Target => ({ url, pids: [1], size: 20_000, stop: () => Promise.resolve() });
const pair = { floor: targetOf('floor'), registry: targetOf('registry') };
const workOf = (name: string): Work => WORKS.find((work) => work.name === name) as Work;

let put: { plan: Plan; processes: number }[];
let generatorShare: number;

const bench: Bench = {
  settings: { rounds: 3, ms: 3_000, connections: 64 },
  databasePids: [],
  generators: 1,
  putLoad: async (plan, processes) => {
    put.push({ plan, processes });
    const answered = plan.url === 'floor' ? 100 : 200;
    const usage = { service: 1, database: 1, machine: 3, rss: 1 };
    const outcome: Outcome = {
      answered,
      assets: answered,
      failed: 0,
      times: Float64Array.of(put.length),
      seconds: 1,
      generatorShare,
      generatorCores: generatorShare,
      usage,
    };
    return outcome;
  },
};

beforeEach(() => {
  put = [];
  generatorShare = 0.5;
});

describe('measure', () => {
  it('warms up, and then takes turns, each one first in turn', async () => {
    const { floor, registry, rounds } = await measure(bench, pair, workOf('read one asset'));
    const [f, r] = ['floor', 'registry'];
    expect(put.map(({ plan }) => plan.url)).toEqual([f, r, f, r, r, f, f, r]);
    expect(put.map(({ plan }) => plan.ms)).toEqual([1_000, 1_000, ...Array<number>(6).fill(3_000)]);
    expect([floor.perSecond, registry.perSecond]).toEqual([100, 200]);
    expect(rounds.map((round) => [round.floor.p50, round.registry.p50])).toEqual([
      [3, 4],
      [6, 5],
      [7, 8],
    ]);
  });

  it('warms up longer where there are more processes', async () => {
    await measure(bench, { ...pair, registry: { ...targetOf('registry'), pids: [1, 2, 3] } }, workOf('create'));
    expect(put.slice(0, 3).map(({ plan }) => plan.ms)).toEqual([1_000, 3_000, 3_000]);
  });

  it('sends other requests in each round, and the same to both', async () => {
    await measure(bench, pair, workOf('read one asset'));
    expect(put.map(({ plan }) => plan.seed)).toEqual([0, 0, 1, 1, 2, 2, 3, 3]);
  });

  it('takes a second generator for both where one is too busy', async () => {
    expect((await measure(bench, pair, workOf('create'))).generators).toBe(1);
    generatorShare = 0.9;
    put = [];
    expect((await measure(bench, pair, workOf('create'))).generators).toBe(2);
    expect(put.slice(2).every(({ processes }) => processes === 2)).toBe(true);
  });

  it('counts the assets of a page, and takes longer for pages of whole ones', async () => {
    const { floor } = await measure(bench, pair, workOf('page of 1,000 whole assets'));
    expect(floor.perSecond).toBe(100_000);
    expect(put.at(-1)?.plan.ms).toBe(9_000);
  });

  it('lets the floor copy in its own way, and both only what there is', async () => {
    await measure(bench, pair, workOf('copy by pages, floor by single reads'));
    const modes = new Set(put.map(({ plan }) => `${plan.url}: ${plan.mode}, ${plan.count}`));
    expect(modes).toEqual(new Set(['floor: copy by reads, 20000', 'registry: copy by pages, 20000']));
  });

  it('measures Fastify between them where it is there, in the way of the floor', async () => {
    const servers = { ...pair, fastify: targetOf('fastify') };
    const { fastify, rounds } = await measure(bench, servers, workOf('copy by pages, floor by single reads'));
    expect(put.slice(0, 3).map(({ plan }) => `${plan.url}: ${plan.mode}`)).toEqual([
      'floor: copy by reads',
      'fastify: copy by reads',
      'registry: copy by pages',
    ]);
    expect([fastify?.perSecond, rounds[0]?.fastify?.perSecond]).toEqual([200, 200]);
  });

  it('uses one connection where that is the point, and keeps a pace', async () => {
    await measure(bench, pair, workOf('create, 1 connection'), 500);
    expect(put.every(({ plan }) => plan.connections === 1 && plan.perSecond === 500)).toBe(true);
  });
});
