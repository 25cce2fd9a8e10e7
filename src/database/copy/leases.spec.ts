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

/** The clock, which advances by a millisecond at each reading. */
let nowMs: number;

/** A database that answers each read with the next of these rows, and then always with the last. */
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

  it('are over at once if there are none, or no table', async () => {
    expect(await finding([]).waitUntilExpired()).toEqual([]);
    const query = (): Promise<never> => Promise.reject(Object.assign(new Error('no table'), { errno: 1146 }));
    expect(await new Leases({ query } as unknown as Session, 1e9).waitUntilExpired()).toEqual([]);
  });

  it('are active if renewed, whatever the clock, and are named by host, process and begin', async () => {
    expect(await finding([row('a', 9)], [row('a', 9)], [row('a', 3)]).waitUntilExpired()).toEqual([NAMED]);
  });

  it('are active if renewed after a pause of the machine of any length', async () => {
    const looks = [[row('a', 9)], [row('a', 9)], [row('a', 3)]];
    const query = (): Promise<Row[] | undefined> => {
      nowMs += 1_000;
      return Promise.resolve(looks.shift());
    };
    expect(await new Leases({ query } as unknown as Session, 20, 1).waitUntilExpired()).toEqual([NAMED]);
  });

  it('are active if new', async () => {
    expect(await finding([row('a', 9)], [row('a', 9), row('b', 9)]).waitUntilExpired()).toEqual([NAMED]);
  });

  it('are over if deleted, or not renewed for their duration', async () => {
    expect(await finding([row('a', 9)], [row('a', 9)], []).waitUntilExpired()).toEqual([]);
    const dead = finding([row('a', 9)]);
    expect(await dead.waitUntilExpired()).toEqual([]);
    expect(await dead.activeSince()).toEqual([]);
  });

  it('are reported if acquired or renewed afterwards', async () => {
    const taken = finding([], [], [row('a', 9)]);
    expect(await taken.waitUntilExpired()).toEqual([]);
    expect(await taken.activeSince()).toEqual([NAMED]);
  });
});
