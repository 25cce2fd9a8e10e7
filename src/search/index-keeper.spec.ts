import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { IndexError } from '../database/search/index-error.js';
import { THREAD_ENDED } from '../database/search/index-thread.js';
import { logger } from '../logging/logger.js';
import { IndexKeeper, type IndexWriter } from './index-keeper.js';

describe('under a running service', () => {
  const DAMAGED = 'the search index is damaged: it is built anew';
  const ENDED = 'a thread of the search index has ended: it is started again';
  const NOT_WRITTEN = 'the search index cannot be written for now';
  let told: unknown[];
  let folder: string;
  let path: string;
  let keeper: IndexKeeper;

  beforeEach(() => {
    told = [];
    for (const level of ['warn', 'info'] as const)
      jest.spyOn(logger, level).mockImplementation((...line: unknown[]) => void told.push(line[1]));
    folder = mkdtempSync(join(tmpdir(), 'index-keeper-'));
    path = join(folder, 'search.sqlite');
    keeper = new IndexKeeper(path, 'one');
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await keeper.close();
    rmSync(folder, { recursive: true });
  });

  const failing = (code: string): IndexError => new IndexError(Object.assign(new Error('failed'), { code }));
  const fail = (error: IndexError): Promise<void> => keeper.recover(error, keeper.writer() as IndexWriter);

  /** As the service does it: what fails is told to the keeper. */
  async function follow(): Promise<void> {
    const writer = keeper.writer() as IndexWriter;
    try {
      await writer.ask({ empty: { from: await keeper.position(writer), epoch: 'epoch' } });
    } catch (error) {
      await keeper.recover(error, writer);
    }
  }
  const epochRead = async (): Promise<string | undefined> => (await keeper.read('choices'))?.position.epoch;
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
      expect([await epochRead(), keeper.isOn]).toEqual(['epoch', true]);
      later();
    }
    expect(told).toContain(DAMAGED);
  });

  it('a thread that ends is started again; again a moment later, after a pause', async () => {
    const kill = (thread: object): Promise<unknown> => (Reflect.get(thread, 'worker') as Worker).terminate();
    await follow();
    await kill(keeper.writer() as IndexWriter);
    for (let i = 0; i < 2; i++) await follow();
    expect(await epochRead()).toBe('epoch');
    const { readers } = Reflect.get(keeper, 'threads') as { readers: object[] };
    await Promise.all(readers.map(kill));
    expect(await epochRead()).toBeUndefined();
    expect([keeper.writer(), await epochRead(), keeper.isOn]).toEqual([undefined, undefined, true]);
    later();
    await follow();
    expect(await epochRead()).toBe('epoch');
    expect(told).toEqual([ENDED, ENDED]);
  });

  it('an error of threads that were replaced is none of those that run', async () => {
    const before = keeper.writer() as IndexWriter;
    await fail(failing(THREAD_ENDED));
    await keeper.recover(failing('SQLITE_CORRUPT'), before);
    expect(told).toEqual([ENDED]);
  });

  it('a full disk is told once, and once when there is room again', async () => {
    for (let i = 0; i < 3; i++) await fail(failing('SQLITE_FULL'));
    expect(told).toEqual([NOT_WRITTEN]);
    for (let i = 0; i < 2; i++) keeper.wasWritten();
    await fail(failing('SQLITE_FULL'));
    expect(told).toEqual([NOT_WRITTEN, 'the search index is written again', NOT_WRITTEN]);
  });

  it('nothing is read before the file was made', async () => {
    keeper.writer();
    expect([await epochRead(), keeper.isOn]).toEqual([undefined, true]);
  });

  it('what cannot be used leaves the registry without a search', async () => {
    writeFileSync(path, '');
    keeper = new IndexKeeper(join(path, 'below.sqlite'), 'one');
    await follow();
    expect([keeper.isOn, keeper.writer()]).toEqual([false, undefined]);
  });
});
