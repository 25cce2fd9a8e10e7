import { expect, it } from '@jest/globals';
import { LogDamagedError, LogHashes } from './log-hashes.js';

it.each([
  ['is missing', []],
  ['was cut', [Buffer.alloc(31)]],
  ['is longer', [Buffer.alloc(33)]],
])('a hash of a tile that %s is an error', async (_, hashes) => {
  const log = { tileHashes: () => Promise.resolve(hashes) } as never;
  await expect(new LogHashes(log).read(1, 0, 1)).rejects.toThrow(LogDamagedError);
});
