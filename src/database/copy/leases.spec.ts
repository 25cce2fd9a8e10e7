import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Session } from '../connections/session.js';
import { Leases } from './leases.js';

interface Row {
  id: string;
  host: string;
  pid: number;
  since_us: number;
  renewed_us: number;
}
const row = (id: string, renewedUs: number): Row => ({
  id,
  host: 'a.example',
  pid: 7,
  since_us: 1_500_000_000_000_000,
  renewed_us: renewedUs,
});
const NAMED = 'process 7 on a.example since 2017-07-14T02:40:00.000Z';

/** What the clock shows: a millisecond more at each look. */
let nowMs: number;

/** A database in which each look finds the next of these; the last one again and again. */
function finding(...looks: Row[][]): Leases {
  let look = 0;
  const query = (): Promise<Row[] | undefined> => {
    nowMs++;
    return Promise.resolve(looks[Math.min(look++, looks.length - 1)]);
  };
  return new Leases({ query } as unknown as Session, 20, 1);
}

describe('the leases of services', () => {
  beforeEach(() => {
    nowMs = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
  });
  afterEach(() => void jest.restoreAllMocks());

  it('are over at once where there are none, or no table for them', async () => {
    expect(await finding([]).waitUntilOver()).toEqual([]);
    const query = (): Promise<never> => Promise.reject(Object.assign(new Error('no table'), { errno: 1146 }));
    expect(await new Leases({ query } as unknown as Session, 1e9).waitUntilOver()).toEqual([]);
  });

  it('live when they are renewed, whatever the clock says, and are told by host, process and begin', async () => {
    expect(await finding([row('a', 9)], [row('a', 9)], [row('a', 3)]).waitUntilOver()).toEqual([NAMED]);
  });

  it('live when they are renewed while the machine stands still, however long that is', async () => {
    const looks = [[row('a', 9)], [row('a', 9)], [row('a', 3)]];
    const query = (): Promise<Row[] | undefined> => {
      nowMs += 1_000;
      return Promise.resolve(looks.shift());
    };
    expect(await new Leases({ query } as unknown as Session, 20, 1).waitUntilOver()).toEqual([NAMED]);
  });

  it('live when they are new', async () => {
    expect(await finding([row('a', 9)], [row('a', 9), row('b', 9)]).waitUntilOver()).toEqual([NAMED]);
  });

  it('are over when they are given back, or not renewed for as long as they last', async () => {
    expect(await finding([row('a', 9)], [row('a', 9)], []).waitUntilOver()).toEqual([]);
    const dead = finding([row('a', 9)]);
    expect(await dead.waitUntilOver()).toEqual([]);
    expect(await dead.begunSince()).toEqual([]);
  });

  it('are seen when they were taken or renewed after that', async () => {
    const taken = finding([], [], [row('a', 9)]);
    expect(await taken.waitUntilOver()).toEqual([]);
    expect(await taken.begunSince()).toEqual([NAMED]);
  });
});
