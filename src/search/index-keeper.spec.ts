import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import Sqlite from 'better-sqlite3';
import { logger } from '../logging/logger.js';
import { IndexError } from '../database/search/index-error.js';
import type { SearchIndex } from '../database/search/search-index.js';
import { IndexKeeper } from './index-keeper.js';

it('holds up no request for another process that has the file: that is tried again later', () => {
  const told = jest.spyOn(logger, 'warn').mockImplementation(() => undefined);
  const folder = mkdtempSync(join(tmpdir(), 'index-keeper-'));
  const path = join(folder, 'search.sqlite');
  const keeper = new IndexKeeper(path, 'one');
  expect(keeper.index()).toBeDefined();
  keeper.close();
  const other = new Sqlite(`${path}.lock`);
  other.exec('BEGIN EXCLUSIVE');
  const tookMs = Array.from({ length: 3 }, () => {
    const began = performance.now();
    expect([keeper.index(), keeper.isOn]).toEqual([undefined, true]);
    return performance.now() - began;
  });
  // To wait for the other one would take two seconds each time; a machine that is held up is so once.
  expect(Math.min(...tookMs)).toBeLessThan(1_500);
  expect(told).toHaveBeenCalledWith({ reason: 'SQLITE_BUSY' }, 'the search index cannot be written for now');
  other.close();
  expect(keeper.index()).toBeDefined();
  keeper.close();
  rmSync(folder, { recursive: true });
  jest.restoreAllMocks();
});

describe('under a running service', () => {
  const DAMAGED = 'the search index is damaged: it is built anew';
  const AGAIN = 'the search index is damaged again: it is built anew after a pause';
  const NOT_WRITTEN = 'the search index cannot be written for now';
  let told: unknown[];
  let folder: string;
  let path: string;
  let keeper: IndexKeeper;

  beforeEach(() => {
    jest.useFakeTimers();
    told = [];
    for (const level of ['warn', 'info'] as const)
      jest.spyOn(logger, level).mockImplementation((...line: unknown[]) => void told.push(line[1]));
    folder = mkdtempSync(join(tmpdir(), 'index-keeper-'));
    path = join(folder, 'search.sqlite');
    keeper = new IndexKeeper(path, 'one');
  });
  afterEach(() => {
    keeper.close();
    rmSync(folder, { recursive: true });
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  const malformed = (): IndexError => new IndexError(Object.assign(new Error('malformed'), { code: 'SQLITE_CORRUPT' }));
  const full = (): IndexError => new IndexError(Object.assign(new Error('full'), { code: 'SQLITE_FULL' }));

  /** As the service does it: what fails is told to the keeper. */
  function follow(): void {
    const index = keeper.index() as SearchIndex;
    try {
      index.begin(index.position(), 'epoch');
    } catch (error) {
      keeper.recover(error, index);
    }
  }
  const epochRead = (): Promise<string | undefined> => keeper.reading((reader) => Promise.resolve(reader.epoch));

  it.each([
    ['emptied', () => truncateSync(path)],
    ['overwritten', () => writeFileSync(path, 'no database '.repeat(10_000))],
  ])('a file that was %s is built anew, whoever meets it first', async (_, damage) => {
    for (const isReadFirst of [true, false]) {
      follow();
      keeper.close();
      jest.advanceTimersByTime(60_000);
      expect(keeper.index()).toBeDefined();
      damage();
      if (isReadFirst) expect(await epochRead()).toBeUndefined();
      for (let i = 0; i < 2; i++) follow();
      expect([await epochRead(), keeper.isOn]).toEqual(['epoch', true]);
    }
    expect(told).toContain(DAMAGED);
  });

  it('a file that is damaged again is built anew a minute after the first time', async () => {
    for (let i = 0; i < 2; i++) {
      follow();
      keeper.recover(malformed());
    }
    expect([keeper.index(), await epochRead(), keeper.isOn]).toEqual([undefined, undefined, true]);
    jest.advanceTimersByTime(60_000);
    follow();
    expect(await epochRead()).toBe('epoch');
    keeper.recover(malformed());
    follow();
    expect(told).toEqual([DAMAGED, AGAIN, DAMAGED]);
  });

  it('a full disk is told once, and once when there is room again', () => {
    follow();
    for (let i = 0; i < 3; i++) keeper.recover(full());
    expect(told).toEqual([NOT_WRITTEN]);
    for (let i = 0; i < 2; i++) keeper.wasWritten();
    keeper.recover(full());
    expect(told).toEqual([NOT_WRITTEN, 'the search index is written again', NOT_WRITTEN]);
  });
});
