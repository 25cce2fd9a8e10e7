import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const run = promisify(execFile);
const SCRIPT = resolve('scripts/replace-dist.cjs');

describe('the last step of a build', () => {
  let folder: string;

  const compile = (...names: string[]): void => {
    rmSync(join(folder, '.build'), { recursive: true, force: true });
    mkdirSync(join(folder, '.build/service/http'), { recursive: true });
    for (const name of names) writeFileSync(join(folder, '.build/service/http', name), name);
  };
  const replace = (): Promise<unknown> => run(process.execPath, [SCRIPT], { cwd: folder });
  const inside = (path: string): string[] =>
    readdirSync(join(folder, path), { recursive: true }).map(String).toSorted();

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'registry-build-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('makes dist/, and puts another in its place later', async () => {
    compile('first.js');
    await replace();
    expect(inside('dist')).toEqual(['http', 'http/first.js']);
    compile('second.js');
    await replace();
    expect(inside('dist')).toEqual(['http', 'http/second.js']);
    expect(readFileSync(join(folder, 'dist/http/second.js'), 'utf8')).toBe('second.js');
    expect(inside('.')).toEqual(expect.arrayContaining(['.build/service', 'dist']));
  });

  it('does so beside others at the same moment, and leaves nothing else', async () => {
    compile('one.js', 'two.js');
    for (let round = 0; round < 3; round++) {
      await Promise.all(Array.from({ length: 4 }, replace));
      expect(inside('dist')).toEqual(['http', 'http/one.js', 'http/two.js']);
      expect(readdirSync(join(folder, '.build'))).toEqual(['service']);
    }
  });

  it('leaves the dist/ that is there where nothing was compiled', async () => {
    compile('first.js');
    await replace();
    rmSync(join(folder, '.build/service'), { recursive: true });
    await expect(replace()).rejects.toThrow('ENOENT');
    expect(inside('dist')).toEqual(['http', 'http/first.js']);
    expect(readdirSync(join(folder, '.build'))).toEqual([]);
  });
});
