import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { Database } from '../database.js';
import type { DatabaseInspector } from '../database-inspector.js';
import { DiskReserve } from './disk-reserve.js';
import { WriteBreaker } from '../connections/write-breaker.js';

let free: () => Promise<{ bytes: number; share: number }>;
let freePages: number;
let writes: WriteBreaker;
let reserve: DiskReserve;

const freeBytes = (bytes: number): void => void (free = () => Promise.resolve({ bytes, share: 0.5 }));
const later = (): Promise<void> => jest.advanceTimersByTimeAsync(500);

beforeEach(async () => {
  jest.useFakeTimers();
  freeBytes(2_000_000);
  freePages = 0;
  writes = new WriteBreaker();
  const read = (): Promise<unknown[]> => Promise.resolve([{ bytes: freePages }]);
  const inspector = { freeDisk: () => free() } as DatabaseInspector;
  reserve = new DiskReserve({ writes, read } as unknown as Database, inspector, { diskReserve: 1_000_000 });
  await reserve.onApplicationBootstrap();
});
afterEach(() => {
  reserve.onApplicationShutdown();
  jest.useRealTimers();
});

it('rejects writes within half a second after the disk has too little free space, until it has more', async () => {
  expect(writes.isOpen).toBe(false);
  freeBytes(999_999);
  await later();
  expect([writes.isOpen, writes.refusal]).toEqual([true, 'less than 1 MiB of its disk are free']);
  freeBytes(1_000_000);
  await later();
  expect([writes.isOpen, writes.refusal]).toEqual([false, undefined]);
});

it('counts free pages of the file, as removed drafts leave them', async () => {
  freeBytes(10);
  freePages = 999_990;
  await later();
  expect(writes.isOpen).toBe(false);
});

it('keeps its decision while the disk cannot be read', async () => {
  freeBytes(0);
  await later();
  free = () => Promise.reject(new Error('ENOENT'));
  await later();
  expect(writes.isOpen).toBe(true);
});
