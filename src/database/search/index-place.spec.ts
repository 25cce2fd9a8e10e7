import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { inodeOf, setAside } from './index-place.js';

it('a file that cannot be read is set aside, and not what another process has put in its place', () => {
  const folder = mkdtempSync(join(tmpdir(), 'index-place-'));
  const path = join(folder, 'index.sqlite');
  writeFileSync(path, 'damaged');
  const inode = inodeOf(path);
  setAside(path, inode, 0);
  expect(inodeOf(path)).toBeUndefined();
  expect(readFileSync(`${path}.damaged`, 'utf8')).toBe('damaged');
  writeFileSync(path, 'new');
  setAside(path, inode, 0);
  expect(readFileSync(path, 'utf8')).toBe('new');
  rmSync(folder, { recursive: true });
});
