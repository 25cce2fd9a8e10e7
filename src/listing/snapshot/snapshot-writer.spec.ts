import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Config } from '../../platform/config/config.js';
import type { Database } from '../../database/database.js';
import type { WholeFeed } from '../../feed/reading/whole-feed.js';
import { logger } from '../../platform/logging/logger.js';
import { until } from '../../../test/support/until.js';
import type { SnapshotLines } from './snapshot-lines.js';
import { SnapshotWriter } from './snapshot-writer.js';

let warn: jest.SpiedFunction<typeof logger.warn>;
beforeEach(() => void (warn = jest.spyOn(logger, 'warn').mockReturnValue()));
afterEach(() => void jest.restoreAllMocks());

function start(snapshotFolder: string): void {
  const unused = {} as Database & WholeFeed & SnapshotLines;
  new SnapshotWriter({ snapshotFolder } as Config, unused, unused, unused).onApplicationBootstrap();
}

describe('the folder of the snapshots, at the start', () => {
  it.each([
    ['/dev/null', /^ENOTDIR/],
    ['/proc/none/snapshots', /^ENOENT/],
  ])('causes a warning if it is not writable: %s', async (path, reason) => {
    start(path);
    await until(() => warn.mock.calls.length > 0);
    const text = 'snapshots cannot be written: see SNAPSHOT_FOLDER';
    expect(warn.mock.calls).toEqual([[{ reason: expect.stringMatching(reason) }, text]]);
  });

  it('is created if it does not exist', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'snapshots-'));
    const path = join(folder, 'data', 'snapshots');
    start(path);
    await until(() => existsSync(path));
    expect(warn).not.toHaveBeenCalled();
    rmSync(folder, { recursive: true });
  });
});
