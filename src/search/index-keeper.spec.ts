import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, jest } from '@jest/globals';
import Sqlite from 'better-sqlite3';
import { logger } from '../logging/logger.js';
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
