import { expect, it } from '@jest/globals';
import { freeDiskUnder } from './free-disk.js';

it('the disk under a file is that of its folder, of which the system keeps a part for itself', async () => {
  const asked: string[] = [];
  const fileSystem = (path: string) => {
    asked.push(path);
    return Promise.resolve({ bavail: 20, blocks: 400, bsize: 4_096 });
  };
  expect(await freeDiskUnder('/some/folder/registry.sqlite', fileSystem)).toEqual({ bytes: 81_920, share: 0.05 });
  expect(asked).toEqual(['/some/folder']);
});
