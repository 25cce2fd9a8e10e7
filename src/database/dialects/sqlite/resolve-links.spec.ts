import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { resolveLinks } from './resolve-links.js';

describe('the path of a database file', () => {
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
    'is the same by each name, before and after the file exists: %s',
    (name) => {
      expect(resolveLinks(join(folder, name))).toBe(file);
      writeFileSync(file, '');
      expect(resolveLinks(join(folder, name))).toBe(file);
    },
  );

  it('of a loop of links is one of them, so that SQLite reports the error', () => {
    symlinkSync('two', join(folder, 'one'));
    symlinkSync('one', join(folder, 'two'));
    expect(resolveLinks(join(folder, 'one'))).toMatch(/(?:one|two)$/);
  });
});
