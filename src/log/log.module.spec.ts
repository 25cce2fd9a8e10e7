import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { logger } from '../platform/logging/logger.js';
import { newLogKey } from './log-keys.js';
import { LogModule } from './log.module.js';

describe('the file of the log’s key', () => {
  let folder: string;
  let file: string;
  let warned: jest.SpiedFunction<typeof logger.warn>;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'log-key-'));
    file = join(folder, 'log.key');
    writeFileSync(file, newLogKey('registry.example.org/log'));
    warned = jest.spyOn(logger, 'warn').mockReturnValue();
  });
  afterEach(() => {
    warned.mockRestore();
    rmSync(folder, { recursive: true });
  });

  const read = (key: string): unknown => LogModule.with(key, { logWitnesses: '' });

  it.each([
    ['its owner', 0o600, 0],
    ['its group', 0o640, 0],
    ['everybody', 0o644, 1],
  ])('is used if %s may read it, with a warning if others may', (_, mode, times) => {
    chmodSync(file, mode);
    read(file);
    expect(warned).toHaveBeenCalledTimes(times);
    for (const line of warned.mock.calls) expect(line).toEqual([{ file }, expect.stringContaining('may read the key')]);
  });

  it('is refused with the reason if it is missing or not readable', () => {
    expect(() => read(`${file}.other`)).toThrow(`${file}.other, which does not exist: "registry log init" creates it`);
    expect(() => read(join(file, 'log.key'))).toThrow('log.key, which cannot be read (ENOTDIR');
    expect(() => read(folder)).toThrow(`${folder}, which cannot be read (EISDIR`);
  });
});
