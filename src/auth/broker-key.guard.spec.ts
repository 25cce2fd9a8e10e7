import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Ledger } from '../feed/writing/ledger.js';
import type { WallClock } from '../feed/clock/wall-clock.js';
import { TIME_BUDGETS_MS } from '../platform/config/time-budgets.js';
import type { AccessReader } from '../database/readers/access-reader.js';
import type { RegistryRequest } from '../http/request.js';
import { logger } from '../platform/logging/logger.js';
import type { RegistryTime } from '../platform/time/registry-time.js';
import { BrokerKeyGuard } from './broker-key.guard.js';
import { KeyUsage } from './key-usage.js';

const TODAY = '2017-08-16';
const markKeyUsed = jest.fn<Ledger['markKeyUsed']>();
let today: string;
let clock: Pick<WallClock, 'nowUs' | 'isTrusted'>;
let usage: KeyUsage;
beforeEach(() => {
  logger.level = 'silent';
  today = TODAY;
  clock = { nowUs: () => 0, isTrusted: true };
  markKeyUsed.mockReset().mockResolvedValue();
  usage = new KeyUsage(
    { markKeyUsed } as unknown as Ledger,
    clock as WallClock,
    { day: () => today } as unknown as RegistryTime,
  );
});

it('writes once per key, for any number of requests on a new day', () => {
  for (const id of ['a', 'b', 'a', 'b']) usage.note({ id, usedDay: null });
  expect(markKeyUsed.mock.calls).toEqual([
    ['a', TODAY],
    ['b', TODAY],
  ]);
});

it('writes again on the next day', async () => {
  usage.note({ id: 'a', usedDay: null });
  await turn();
  today = '2017-08-17';
  usage.note({ id: 'a', usedDay: TODAY });
  expect(markKeyUsed).toHaveBeenLastCalledWith('a', '2017-08-17');
});

it.each([TODAY, '2017-08-17'])('writes nothing if %s is recorded already', (usedDay) => {
  usage.note({ id: 'a', usedDay });
  expect(markKeyUsed).not.toHaveBeenCalled();
});

it('tries again with the next request after a failure, without failing the request', async () => {
  markKeyUsed.mockRejectedValueOnce(new Error('away'));
  usage.note({ id: 'a', usedDay: null });
  await turn();
  usage.note({ id: 'a', usedDay: null });
  expect(markKeyUsed).toHaveBeenCalledTimes(2);
});

it('writes nothing while the clock is in doubt', () => {
  clock.isTrusted = false;
  usage.note({ id: 'a', usedDay: null });
  expect(markKeyUsed).not.toHaveBeenCalled();
  clock.isTrusted = true;
  usage.note({ id: 'a', usedDay: null });
  expect(markKeyUsed).toHaveBeenCalledTimes(1);
});

describe('a write whose key is not found in time', () => {
  class SlowGuard extends BrokerKeyGuard {
    ask(request: Partial<RegistryRequest>): Promise<unknown> {
      return this.findKey(request as RegistryRequest);
    }
  }

  afterEach(() => void jest.useRealTimers());

  it('is 503 at the deadline, which includes earlier waits', async () => {
    jest.useFakeTimers();
    const find = jest.fn<AccessReader['find']>().mockReturnValue(new Promise(() => undefined));
    const parts = [{ find }, {}, usage, clock, {}, { production: false }] as unknown;
    const guard = new SlowGuard(...(parts as ConstructorParameters<typeof BrokerKeyGuard>));
    const arrivedMs = performance.now() - TIME_BUDGETS_MS.admission;
    const request = { headers: { authorization: 'Bearer somebody' }, params: {}, arrivedMs, idleMs: 0 };
    const answer = guard.ask(request).catch(({ status }: { status: number }) => status);
    await jest.advanceTimersByTimeAsync(TIME_BUDGETS_MS.answer - TIME_BUDGETS_MS.admission + 100);
    expect(await Promise.race([answer, Promise.resolve('not yet')])).toBe(503);
  });
});
