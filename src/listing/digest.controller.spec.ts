import { beforeEach, expect, it } from '@jest/globals';
import type { ExactFeed } from '../feed/reading/exact-feed.js';
import type { Caller } from '../http/caller.js';
import type { RegistryRequest } from '../http/request.js';
import type { RateLimits } from '../http/limits/rate-limits.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import { DigestController } from './digest.controller.js';

let controller: DigestController;
/** Functions that let the digests under way finish. */
let begun: (() => void)[];

beforeEach(() => {
  begun = [];
  const feed = {
    settle: () => Promise.resolve({ readPointUs: 1, epoch: 'one' }),
    pages: async function* () {
      await new Promise<void>((resolve) => begun.push(resolve));
      yield { entries: [] };
    },
  };
  const limits = { clientOf: ({ from }: { from: string }) => from };
  controller = new DigestController(
    feed as unknown as ExactFeed,
    new RegistryTime('UTC'),
    limits as unknown as RateLimits,
  );
});

/** @returns the status of the answer */
async function ask(address: string): Promise<number> {
  const caller = { isGone: () => false, chargeWork: () => undefined } as unknown as Caller;
  const request = { url: '/', headers: {}, from: address } as unknown as RegistryRequest;
  try {
    return (await controller.digest(caller, request)).status;
  } catch (error) {
    return (error as { status: number }).status;
  }
}

async function endNext(): Promise<void> {
  for (; begun.length === 0;) await new Promise(setImmediate);
  begun.shift()?.();
}

it('computes two digests concurrently, and at most two per address, so that other addresses get in', async () => {
  const greedy = [ask('one'), ask('one'), ask('one')];
  const other = ask('other');
  expect(await greedy[2]).toBe(503);
  await endNext();
  expect(await greedy[0]).toBe(200);
  const again = ask('one');
  await endNext();
  await endNext();
  expect(await other).toBe(200);
  await endNext();
  expect(await Promise.all([greedy[1], again])).toEqual([200, 200]);
});
