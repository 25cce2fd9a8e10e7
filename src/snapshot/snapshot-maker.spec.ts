import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { Config } from '../config/config.js';
import type { Database } from '../database/database.js';
import type { WholeFeed } from '../feed/reading/whole-feed.js';
import { logger } from '../logging/logger.js';
import { SnapshotFolder } from './snapshot-folder.js';
import type { SnapshotLines } from './snapshot-lines.js';
import { SnapshotMaker } from './snapshot-maker.js';

/** @returns what a service that starts with this folder warns of */
async function warnings(path: string): Promise<unknown[]> {
  const warn = jest.spyOn(logger, 'warn').mockReturnValue();
  const unused = {} as Config & Database & WholeFeed & SnapshotLines;
  await new SnapshotMaker(unused, unused, unused, new SnapshotFolder(path), unused).makePlace();
  return warn.mock.calls;
}

afterEach(() => void jest.restoreAllMocks());

describe('the folder of the snapshots, at the start', () => {
  it.each([
    ['/dev/null', /^ENOTDIR/],
    ['/proc/none/snapshots', /^ENOENT/],
  ])('is told of where it cannot be written to: %s', async (path, reason) => {
    const told = 'there is no place for a snapshot: see SNAPSHOT_FOLDER';
    expect(await warnings(path)).toEqual([[{ reason: expect.stringMatching(reason) }, told]]);
  });

  it('is made without a word elsewhere, and may be there', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'snapshots-'));
    const path = join(folder, 'data', 'snapshots');
    for (let i = 0; i < 2; i++) expect(await warnings(path)).toEqual([]);
    expect(existsSync(path)).toBe(true);
    rmSync(folder, { recursive: true });
  });
});
