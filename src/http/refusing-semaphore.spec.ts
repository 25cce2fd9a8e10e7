import { expect, it } from '@jest/globals';
import { RefusingSemaphore } from './refusing-semaphore.js';

it('lets a few begin, refuses the next with 503, and lets another begin for each that is over', () => {
  const places = new RefusingSemaphore(2);
  const refused = expect.objectContaining({ status: 503 }) as unknown as Error;
  const [release] = [places.acquire(), places.acquire()] as const;
  expect(() => places.acquire()).toThrow(refused);
  release();
  release();
  places.acquire();
  expect(() => places.acquire()).toThrow(refused);
});
