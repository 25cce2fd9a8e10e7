import { expect, it } from '@jest/globals';
import { SharedPlaces, type Evictable } from './shared-places.js';

const refused = expect.objectContaining({ status: 503 }) as unknown as Error;

/** Enters one, and notes when it is evicted. */
function enter(places: SharedPlaces, address: string, gone: string[], name = address): () => void {
  const holder: Evictable = { evict: () => void gone.push(name) };
  return places.enter(address, holder);
}

it('lets one address have all places, and refuses it the next', () => {
  const [places, gone] = [new SharedPlaces(3), [] as string[]];
  for (const name of ['1', '2', '3']) enter(places, 'a', gone, name);
  expect(() => enter(places, 'a', gone)).toThrow(refused);
  expect([places.count, gone]).toEqual([3, []]);
});

it('gives another address a place of the one that has the most, the oldest first, until both have as many', () => {
  const [places, gone] = [new SharedPlaces(4), [] as string[]];
  for (const name of ['1', '2', '3', '4']) enter(places, 'a', gone, name);
  enter(places, 'b', gone);
  enter(places, 'b', gone);
  expect(gone).toEqual(['1', '2']);
  expect(() => enter(places, 'b', gone)).toThrow(refused);
  expect(() => enter(places, 'a', gone)).toThrow(refused);
  expect(places.count).toBe(4);
});

it('refuses a new address where each other has a single place', () => {
  const [places, gone] = [new SharedPlaces(2), [] as string[]];
  enter(places, 'a', gone);
  enter(places, 'b', gone);
  expect(() => enter(places, 'c', gone)).toThrow(refused);
});

it('counts whoever leaves once, after it was evicted, too', () => {
  const [places, gone] = [new SharedPlaces(2), [] as string[]];
  const [first] = [enter(places, 'a', gone), enter(places, 'a', gone)];
  enter(places, 'b', gone);
  first();
  first();
  expect(places.count).toBe(2);
});
