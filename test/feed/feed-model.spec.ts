import { describe, expect, it } from '@jest/globals';
import { explore, type Exploration } from '../model/explore.js';
import { faultOf, type Live, start, stepsFrom, type World } from '../model/feed-model.js';

/** Three writers, two of them on one asset; time may step back once. */
const BASE: World = {
  assets: [0, 1, 0],
  stamps: 'clock row',
  views: 'atomic',
  readPoint: false,
  visibleMeansDurable: true,
  barrier: 'none',
  crash: false,
  stepsBack: 1,
  limit: 10,
  reads: 3,
  live: undefined,
};

const run = (change: Partial<World>): Exploration => {
  const world = { ...BASE, ...change };
  return explore(start(world), (state) => stepsFrom(world, state), (state) => faultOf(world, state)); // prettier-ignore
};

const SHORT = { reads: 2, limit: 1 };
const CRASH = { crash: true };
const UNFLUSHED = { crash: true, visibleMeansDurable: false };
const TORN = { views: 'torn' as const };

/** As it is built. Who follows live begins with one page that it reads itself. */
const LIVE: Live = { joins: 'level', wakes: true, gives: 'pages', reads: 3 };
const live = (change: Partial<Live> = {}): Partial<World> => ({ live: { ...LIVE, ...change }, reads: 1, stepsBack: 0 });
const TWO = { assets: [0, 1] };
const SURE = { ...UNFLUSHED, barrier: 'snapshot' as const };

describe('every interleaving of the feed as it is built loses nothing', () => {
  it.each<[string, Partial<World>]>([
    ['atomic views (MySQL, SQLite)', {}],
    ['atomic views, pages of one', { limit: 1 }],
    ['atomic views, a crash', CRASH],
    ['atomic views, four writers', { assets: [0, 1, 2, 0], reads: 2 }],
    ['a crash, visible before durable, the read barrier', { ...UNFLUSHED, barrier: 'snapshot' }],
    ['torn views, the read point', { ...TORN, readPoint: true, reads: 2 }],
    ['torn views, the read point, pages of one', { ...TORN, ...SHORT, readPoint: true }],
    ['torn views, the read point, a crash', { ...TORN, ...CRASH, readPoint: true, reads: 2 }],
    [
      'torn views, the read point, a crash, visible before durable, the read barrier',
      { ...TORN, ...UNFLUSHED, ...SHORT, readPoint: true, barrier: 'snapshot' },
    ],
    ['followed live', live()],
    ['followed live, pages of one', { ...live(), limit: 1 }],
    ['followed live by one who reads two pages', { ...live(), ...TWO, reads: 2 }],
    ['followed live, a crash, visible before durable, the read barrier', { ...live(), ...TWO, ...SURE }],
    [
      'followed live, torn views, the read point, pages of one',
      { ...live(), ...TWO, ...TORN, readPoint: true, limit: 1 },
    ],
  ])('%s', (_, world) => {
    const { fault, trace, states } = run(world);
    expect({ fault, trace }).toEqual({ fault: undefined, trace: [] });
    expect(states).toBeGreaterThan(1_000);
  });
});

describe('what is refuted is found broken', () => {
  it.each<[string, RegExp, Partial<World>]>([
    ['timestamps of the wall clock', /missed/, { stamps: 'wall' }],
    ['timestamps of the wall clock that never steps back', /missed/, { stamps: 'wall', stepsBack: 0 }],
    ['torn views without a read point', /missed/, TORN],
    ['a crash, visible before durable, no barrier', /phantom|missed/, UNFLUSHED],
    ['the barrier on the last entry of the page', /missed/, { ...UNFLUSHED, barrier: 'last entry', limit: 1 }],
    ['pages that leave out what is not durable', /missed/, { ...UNFLUSHED, barrier: 'horizon' }],
    [
      'torn views, the read point, a crash, no barrier',
      /phantom|missed/,
      { ...TORN, ...UNFLUSHED, ...SHORT, readPoint: true },
    ],
    ['a follower joins those who were given more', /missed/, live({ joins: 'anywhere' })],
    ['a follower joins while the page that he lacks is given to others', /missed/, live({ joins: 'one page behind' })],
    ['a follower that cannot be given a page waits on', /missed/, live({ wakes: false })],
    ['an event is what this process has committed', /missed/, live({ gives: 'own commits' })],
    [
      'an event is sent before its commit is durable',
      /phantom/,
      { ...live({ gives: 'own commits' }), ...SURE, assets: [0] },
    ],
  ])('%s', (_, kind, world) => {
    const { fault, trace } = run(world);
    expect(fault).toMatch(kind);
    expect(trace.length).toBeGreaterThan(3);
  });
});
