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
  const DAMAGED = 'the search index is damaged: rebuilding it';
  const ENDED = 'a thread of the search index has ended: restarting it';
  const NOT_WRITTEN = 'the search index cannot be written for now';
  let logged: unknown[];
  let folder: string;
  let path: string;
  let supervisor: IndexSupervisor;

  beforeEach(() => {
    logged = [];
    for (const level of ['warn', 'info'] as const)
      jest.spyOn(logger, level).mockImplementation((...line: unknown[]) => void logged.push(line[1]));
    folder = mkdtempSync(join(tmpdir(), 'index-supervisor-'));
    path = join(folder, 'search.sqlite');
    supervisor = new IndexSupervisor(path, 'one');
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await supervisor.close();
    rmSync(folder, { recursive: true });
  });

  /** Lets the next requests to threads fail with these codes. */
  function fail(...codes: string[]): void {
    const ask = jest.spyOn(IndexThread.prototype, 'ask');
    for (const code of codes) ask.mockRejectedValueOnce(new IndexError('failed', code));
  }
  async function follow(): Promise<void> {
    const from = await supervisor.write<IndexPosition>('position');
    if (from !== undefined) await supervisor.write({ empty: { from, epoch: 'epoch' } });
    await supervisor.write('position');
  }
  const epochRead = async (): Promise<string | undefined> => (await supervisor.read('totals'))?.position.epoch;
  /** The workers of the running threads. */
  function threads(): { writer: Worker; readers: Worker[] } {
    const { writer, readers } = Reflect.get(supervisor, 'threads') as { writer: object; readers: object[] };
    const workerOf = (thread: object): Worker => Reflect.get(thread, 'worker') as Worker;
    return { writer: workerOf(writer), readers: readers.map(workerOf) };
  }
  /** Ends the pause between restarts. */
  const later = (): unknown => jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_000);

  it.each([
    ['emptied', () => truncateSync(path)],
    ['overwritten', () => writeFileSync(path, 'no database '.repeat(10_000))],
  ])('a file that was %s is rebuilt, whether the writer or a reader finds it first', async (_, damage) => {
    for (const isReadFirst of [true, false]) {
      await follow();
      damage();
      if (isReadFirst) expect(await epochRead()).toBeUndefined();
      for (let i = 0; i < 2; i++) await follow();
      expect([await epochRead(), supervisor.isOn]).toEqual(['epoch', true]);
      later();
    }
    expect(logged).toContain(DAMAGED);
  });

  it('a thread that ends is restarted at once, and a second time after a pause', async () => {
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
    expect(logged).toEqual([ENDED, ENDED]);
  });

  it('a thread that does not answer is restarted', async () => {
    await follow();
    for (const reader of threads().readers) jest.spyOn(reader, 'postMessage').mockImplementation(() => undefined);
    jest.replaceProperty(TIME_BUDGETS_MS as Record<'searchQuery', number>, 'searchQuery', 1);
    expect(await epochRead()).toBeUndefined();
    expect(logged).toEqual([ENDED]);
    jest.restoreAllMocks();
    await follow();
    expect(await epochRead()).toBe('epoch');
  });

  it('a full disk is logged once, and once more when there is space again', async () => {
    fail('SQLITE_FULL', 'SQLITE_FULL', 'SQLITE_FULL', 'SQLITE_FULL');
    for (let i = 0; i < 3; i++) await supervisor.write('position');
    expect(logged).toEqual([NOT_WRITTEN]);
    for (let i = 0; i < 2; i++) supervisor.noteWritten();
    await supervisor.write('position');
    expect(logged).toEqual([NOT_WRITTEN, 'the search index is written again', NOT_WRITTEN]);
  });

  it('nothing is read before the file is created', async () => {
    void supervisor.write('position');
    expect([await epochRead(), supervisor.isOn]).toEqual([undefined, true]);
  });

  it('a file that cannot be used turns the search off', async () => {
    writeFileSync(path, '');
    supervisor = new IndexSupervisor(join(path, 'below.sqlite'), 'one');
    await follow();
    expect([supervisor.isOn, await supervisor.write('position')]).toEqual([false, undefined]);
  });
});
