import { afterEach, expect, it, jest } from '@jest/globals';
import { PerClientSemaphore, type Evictable } from './per-client-semaphore.js';

const refused = expect.objectContaining({ status: 503 }) as unknown as Error;

afterEach(() => void jest.restoreAllMocks());

/** Enters one, and notes when it is evicted. */
function enter(
  places: PerClientSemaphore,
  address: string,
  gone: string[],
  { name = address, stalledSinceMs }: { name?: string; stalledSinceMs?: number } = {},
): () => void {
  const holder: Evictable = { stalledSinceMs, evict: () => void gone.push(name) };
  return places.enter(address, holder);
}

it('lets one address have all places, and refuses it the next', () => {
  const [places, gone] = [new PerClientSemaphore({ most: 3 }), [] as string[]];
  for (const name of ['1', '2', '3']) enter(places, 'a', gone, { name });
  expect(() => enter(places, 'a', gone)).toThrow(refused);
  expect([places.count, gone]).toEqual([3, []]);
});

it('gives another address a place of the one that has the most, the oldest first, until both have as many', () => {
  const [places, gone] = [new PerClientSemaphore({ most: 4 }), [] as string[]];
  for (const name of ['1', '2', '3', '4']) enter(places, 'a', gone, { name });
  enter(places, 'b', gone);
  enter(places, 'b', gone);
  expect(gone).toEqual(['1', '2']);
  expect(() => enter(places, 'b', gone)).toThrow(refused);
  expect(() => enter(places, 'a', gone)).toThrow(refused);
  expect(places.count).toBe(4);
});

it('refuses a new address where each other has a single place', () => {
  const [places, gone] = [new PerClientSemaphore({ most: 2 }), [] as string[]];
  enter(places, 'a', gone);
  enter(places, 'b', gone);
  expect(() => enter(places, 'c', gone)).toThrow(refused);
});

it('gives a new address the place of who has taken nothing for longest, where each has a single one', () => {
  const [places, gone] = [new PerClientSemaphore({ most: 3 }), [] as string[]];
  jest.spyOn(performance, 'now').mockReturnValue(60_000);
  enter(places, 'a', gone, { stalledSinceMs: 59_000 });
  enter(places, 'b', gone, { stalledSinceMs: 50_000 });
  enter(places, 'c', gone, { stalledSinceMs: 40_000 });
  enter(places, 'd', gone);
  enter(places, 'e', gone);
  expect(gone).toEqual(['c', 'b']);
  // The others are served, or were until just now.
  expect(() => enter(places, 'f', gone)).toThrow(refused);
  expect(() => enter(places, 'd', gone)).toThrow(refused);
});

it('gives nobody more than one may have', () => {
  const [places, gone] = [new PerClientSemaphore({ most: 3, mostOfOne: 1 }), [] as string[]];
  const leave = enter(places, 'a', gone);
  expect(() => enter(places, 'a', gone)).toThrow(refused);
  leave();
  enter(places, 'a', gone);
  enter(places, 'b', gone);
  expect(gone).toEqual([]);
});

it('counts whoever leaves once, after it was evicted, too', () => {
  const [places, gone] = [new PerClientSemaphore({ most: 2 }), [] as string[]];
  const [first] = [enter(places, 'a', gone), enter(places, 'a', gone)];
  enter(places, 'b', gone);
  first();
  first();
  expect(places.count).toBe(2);
});
