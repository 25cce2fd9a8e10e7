import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { TIME_BUDGETS_MS } from '../platform/config/time-budgets.js';
import { IndexError } from '../database/search/index-error.js';
import { IndexThread } from '../database/search/index-thread.js';
import type { IndexPosition } from '../database/search/indexed-asset.js';
import { logger } from '../platform/logging/logger.js';
import { IndexSupervisor } from './index-supervisor.js';

describe('under a running service', () => {
  const DAMAGED = 'the search index is damaged: it is built anew';
  const ENDED = 'a thread of the search index has ended: it is started again';
  const NOT_WRITTEN = 'the search index cannot be written for now';
  let told: unknown[];
  let folder: string;
  let path: string;
  let supervisor: IndexSupervisor;

  beforeEach(() => {
    told = [];
    for (const level of ['warn', 'info'] as const)
      jest.spyOn(logger, level).mockImplementation((...line: unknown[]) => void told.push(line[1]));
    folder = mkdtempSync(join(tmpdir(), 'index-supervisor-'));
    path = join(folder, 'search.sqlite');
    supervisor = new IndexSupervisor(path, 'one');
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await supervisor.close();
    rmSync(folder, { recursive: true });
  });

  /** Lets threads fail with one code after the other. */
  function fail(...codes: string[]): void {
    const ask = jest.spyOn(IndexThread.prototype, 'ask');
    for (const code of codes) ask.mockRejectedValueOnce(new IndexError('failed', code));
  }
  /** As the service does it. */
  async function follow(): Promise<void> {
    const from = await supervisor.write<IndexPosition>('position');
    if (from !== undefined) await supervisor.write({ empty: { from, epoch: 'epoch' } });
    await supervisor.write('position');
  }
  const epochRead = async (): Promise<string | undefined> => (await supervisor.read('totals'))?.position.epoch;
  /** The workers of the threads that run. */
  function threads(): { writer: Worker; readers: Worker[] } {
    const { writer, readers } = Reflect.get(supervisor, 'threads') as { writer: object; readers: object[] };
    const workerOf = (thread: object): Worker => Reflect.get(thread, 'worker') as Worker;
    return { writer: workerOf(writer), readers: readers.map(workerOf) };
  }
  /** So that what was restarted is restarted again at once. */
  const later = (): unknown => jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_000);

  it.each([
    ['emptied', () => truncateSync(path)],
    ['overwritten', () => writeFileSync(path, 'no database '.repeat(10_000))],
  ])('a file that was %s is built anew, whoever meets it first', async (_, damage) => {
    for (const isReadFirst of [true, false]) {
      await follow();
      damage();
      if (isReadFirst) expect(await epochRead()).toBeUndefined();
      for (let i = 0; i < 2; i++) await follow();
      expect([await epochRead(), supervisor.isOn]).toEqual(['epoch', true]);
      later();
    }
    expect(told).toContain(DAMAGED);
  });

  it('a thread that ends is started again; again a moment later, after a pause', async () => {
    await follow();
    await threads().writer.terminate();
    for (let i = 0; i < 2; i++) await follow();
    expect(await epochRead()).toBe('epoch');
    await Promise.all(threads().readers.map((reader) => reader.terminate()));
    expect(await epochRead()).toBeUndefined();
    expect([await supervisor.write('position'), await epochRead(), supervisor.isOn]).toEqual([
      undefined,
      undefined,
      true,
    ]);
    later();
    await follow();
    expect(await epochRead()).toBe('epoch');
    expect(told).toEqual([ENDED, ENDED]);
  });

  it('a thread that does not answer is started again', async () => {
    await follow();
    for (const reader of threads().readers) jest.spyOn(reader, 'postMessage').mockImplementation(() => undefined);
    jest.replaceProperty(TIME_BUDGETS_MS as Record<'searchQuery', number>, 'searchQuery', 1);
    expect(await epochRead()).toBeUndefined();
    expect(told).toEqual([ENDED]);
    jest.restoreAllMocks();
    await follow();
    expect(await epochRead()).toBe('epoch');
  });

  it('a full disk is told once, and once when there is room again', async () => {
    fail('SQLITE_FULL', 'SQLITE_FULL', 'SQLITE_FULL', 'SQLITE_FULL');
    for (let i = 0; i < 3; i++) await supervisor.write('position');
    expect(told).toEqual([NOT_WRITTEN]);
    for (let i = 0; i < 2; i++) supervisor.noteWritten();
    await supervisor.write('position');
    expect(told).toEqual([NOT_WRITTEN, 'the search index is written again', NOT_WRITTEN]);
  });

  it('nothing is read before the file was made', async () => {
    void supervisor.write('position');
    expect([await epochRead(), supervisor.isOn]).toEqual([undefined, true]);
  });

  it('what cannot be used leaves the registry without a search', async () => {
    writeFileSync(path, '');
    supervisor = new IndexSupervisor(join(path, 'below.sqlite'), 'one');
    await follow();
    expect([supervisor.isOn, await supervisor.write('position')]).toEqual([false, undefined]);
  });
});
