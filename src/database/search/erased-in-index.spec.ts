import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { indexedAsset as entry } from '../../../test/support/indexed-asset.js';
import type { IndexedAsset } from './indexed-asset.js';
import { SearchFile } from './search-file.js';
import { SearchIndex } from './search-index.js';

/* The index of an asset of which something was erased. */

const folder = mkdtempSync(join(tmpdir(), 'erased-in-index-'));
const path = join(folder, 'index.sqlite');
let file: SearchFile;
let index: SearchIndex;

beforeEach(() => {
  file = SearchFile.open(path, 'one', 0);
  index = new SearchIndex(file);
  index.begin(index.position(), 'epoch');
});
afterEach(() => {
  file.close();
  rmSync(folder, { recursive: true });
});

const take = (assets: IndexedAsset[]): unknown => expect(index.add(index.position(), assets)).toBe(true);

const bytes = (): string => [path, `${path}-wal`].map((one) => readFileSync(one, 'latin1')).join('');
const erased = (number: number, us: number, erasedUs = us): IndexedAsset => ({
  ...entry(number, 'w:all', us),
  erasedUs,
});

it('nothing is left in the file, and the index is built anew', () => {
  take([entry(1, 'w:all w:kanareika'), entry(2)]);
  expect(bytes()).toContain('kanareika');
  expect(index.add(index.position(), [erased(1, 3)])).toBe(false);
  expect(index.position()).toEqual({ epoch: 'epoch', us: -1 });
  expect(bytes()).not.toContain('kanareika');
  take([entry(2), erased(1, 3)]);
  expect(file.values('SELECT id FROM detail ORDER BY seq')).toEqual(['2', '1']);
});

it('it goes on where it never had what was erased', () => {
  take([erased(1, 2), entry(3, 'w:all', 4)]);
  take([erased(1, 5, 2)]);
  expect(index.position().us).toBe(5);
});

it('the bytes go later where somebody reads meanwhile, and the process that has emptied it is gone', () => {
  take([entry(1, 'w:all w:kanareika')]);
  const other = SearchFile.open(path, 'one', 0);
  other.begin();
  other.rows('SELECT * FROM entry');
  expect(index.add(index.position(), [erased(1, 3)])).toBe(false);
  expect(index.position().us).toBe(-1);
  expect(bytes()).toContain('kanareika');
  other.end();
  new SearchIndex(other).position();
  expect(bytes()).not.toContain('kanareika');
  other.close();
});

it('the bytes go, though another process has made the file smaller just before it was emptied again', () => {
  const [other, third] = [SearchFile.open(path, 'one', 0), SearchFile.open(path, 'one', 0)];
  const shrink = other.shrink.bind(other);
  jest.spyOn(other, 'shrink').mockImplementationOnce(() => {
    const isSmaller = shrink();
    index = new SearchIndex(third);
    take([entry(1, 'w:all w:kanareika')]);
    expect(index.add(index.position(), [erased(1, 3)])).toBe(false);
    return isSmaller;
  });
  index.begin(index.position(), 'epoch');
  new SearchIndex(other).position();
  expect(bytes()).toContain('kanareika');
  index.position();
  expect(bytes()).not.toContain('kanareika');
  other.close();
  third.close();
});
