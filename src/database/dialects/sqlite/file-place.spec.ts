import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { placeOf } from './file-place.js';

describe('the place of a database file', () => {
  let folder: string;
  let file: string;

  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'place-')));
    file = join(folder, 'registry.sqlite');
    symlinkSync('registry.sqlite', join(folder, 'link'));
    symlinkSync(join(folder, 'link'), join(folder, 'link of a link'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it.each(['registry.sqlite', 'link', 'link of a link'])(
    'is the same by each name, before and after it is there: %s',
    (name) => {
      expect(placeOf(join(folder, name))).toBe(file);
      writeFileSync(file, '');
      expect(placeOf(join(folder, name))).toBe(file);
    },
  );

  it('of links that lead to each other is one of them, so that SQLite says what is wrong', () => {
    symlinkSync('two', join(folder, 'one'));
    symlinkSync('one', join(folder, 'two'));
    expect(placeOf(join(folder, 'one'))).toMatch(/(?:one|two)$/);
  });
});
