import { afterEach, expect, it, jest } from '@jest/globals';
import { PerClientSemaphore, type Evictable } from './per-client-semaphore.js';

const refused = expect.objectContaining({ status: 503 }) as unknown as Error;

afterEach(() => void jest.restoreAllMocks());

/** Takes a slot; its eviction adds its name to `gone`. */
function enter(
  slots: PerClientSemaphore,
  address: string,
  gone: string[],
  { name = address, stalledSinceMs }: { name?: string; stalledSinceMs?: number } = {},
): () => void {
  const holder: Evictable = { stalledSinceMs, evict: () => void gone.push(name) };
  return slots.enter(address, holder);
}

it('lets one client have all slots, and refuses it another', () => {
  const [slots, gone] = [new PerClientSemaphore({ max: 3 }), [] as string[]];
  for (const name of ['1', '2', '3']) enter(slots, 'a', gone, { name });
  expect(() => enter(slots, 'a', gone)).toThrow(refused);
  expect([slots.count, gone]).toEqual([3, []]);
});

it('evicts the oldest slots of the busiest client for a newcomer, until both have as many', () => {
  const [slots, gone] = [new PerClientSemaphore({ max: 4 }), [] as string[]];
  for (const name of ['1', '2', '3', '4']) enter(slots, 'a', gone, { name });
  enter(slots, 'b', gone);
  enter(slots, 'b', gone);
  expect(gone).toEqual(['1', '2']);
  expect(() => enter(slots, 'b', gone)).toThrow(refused);
  expect(() => enter(slots, 'a', gone)).toThrow(refused);
  expect(slots.count).toBe(4);
});

it('refuses a newcomer if every client has a single slot', () => {
  const [slots, gone] = [new PerClientSemaphore({ max: 2 }), [] as string[]];
  enter(slots, 'a', gone);
  enter(slots, 'b', gone);
  expect(() => enter(slots, 'c', gone)).toThrow(refused);
});

it('evicts the client stalled for longest for a newcomer, if every client has a single slot', () => {
  const [slots, gone] = [new PerClientSemaphore({ max: 3 }), [] as string[]];
  jest.spyOn(performance, 'now').mockReturnValue(60_000);
  enter(slots, 'a', gone, { stalledSinceMs: 59_000 });
  enter(slots, 'b', gone, { stalledSinceMs: 50_000 });
  enter(slots, 'c', gone, { stalledSinceMs: 40_000 });
  enter(slots, 'd', gone);
  enter(slots, 'e', gone);
  expect(gone).toEqual(['c', 'b']);
  // The others are not stalled, or not for long enough.
  expect(() => enter(slots, 'f', gone)).toThrow(refused);
  expect(() => enter(slots, 'd', gone)).toThrow(refused);
});

it('gives no client more than its share', () => {
  const [slots, gone] = [new PerClientSemaphore({ max: 3, maxPerClient: 1 }), [] as string[]];
  const leave = enter(slots, 'a', gone);
  expect(() => enter(slots, 'a', gone)).toThrow(refused);
  leave();
  enter(slots, 'a', gone);
  enter(slots, 'b', gone);
  expect(gone).toEqual([]);
});

it('counts a slot that is freed twice, or after its eviction, once', () => {
  const [slots, gone] = [new PerClientSemaphore({ max: 2 }), [] as string[]];
  const [first] = [enter(slots, 'a', gone), enter(slots, 'a', gone)];
  enter(slots, 'b', gone);
  first();
  first();
  expect(slots.count).toBe(2);
});
