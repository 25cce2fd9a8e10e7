import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const run = promisify(execFile);
const SCRIPT = resolve('scripts/replace-dist.cjs');

describe('the last step of a build', () => {
  let folder: string;

  const put = (path: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), basename(path));
  };
  const compile = (...names: string[]): void => {
    rmSync(join(folder, '.build'), { recursive: true, force: true });
    for (const name of names) {
      put(`src/http/${name.replace('.js', '.ts')}`);
      put(`.build/service/http/${name}`);
    }
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

  it('does so concurrently with others, and leaves no other files', async () => {
    compile('one.js', 'two.js');
    for (let round = 0; round < 2; round++) {
      await Promise.all(Array.from({ length: 4 }, replace));
      expect(inside('dist')).toEqual(['http', 'http/one.js', 'http/two.js']);
      expect(readdirSync(join(folder, '.build'))).toEqual(['service']);
    }
  });

  it('omits files compiled from deleted sources', async () => {
    const library = 'http/swagger-ui/library';
    const sources = ['src/app.ts', 'src/demo.ts', 'src/pages/files/page.css', 'src/http/swagger-ui/start.js'];
    [...sources, 'clients/demo/src/index.ts', 'node_modules/swagger-ui-dist/ui.css'].forEach(put);
    const kept = ['app.d.ts', 'app.js', 'app.js.map', 'demo.js', 'demo/index.js', 'pages/files/page.css'];
    kept.push('http/swagger-ui/start.js', `${library}/ui.css`);
    const gone = ['demo/app.js', 'gone.d.ts', 'gone.js', 'gone.js.map', 'pages/files/gone.css', 'pages/gone/gone.js'];
    gone.push(`${library}/gone.css`);
    for (const name of [...kept, ...gone]) put(`.build/service/${name}`);
    await replace();
    const folders = ['demo', 'http', 'http/swagger-ui', library, 'pages', 'pages/files'];
    expect(inside('dist')).toEqual([...kept, ...folders].toSorted());
  });

  it('has source maps that name their sources from dist/', async () => {
    compile('first.js');
    writeFileSync(join(folder, '.build/service/http/first.js.map'), '{"sources":["../../../src/http/first.ts"]}');
    await replace();
    const map = readFileSync(join(folder, 'dist/http/first.js.map'), 'utf8');
    const [source = ''] = (JSON.parse(map) as { sources: string[] }).sources;
    expect(resolve(folder, 'dist/http', source)).toBe(join(folder, 'src/http/first.ts'));
  });

  it('keeps dist/ if nothing was compiled', async () => {
    compile('first.js');
    await replace();
    rmSync(join(folder, '.build/service'), { recursive: true });
    await expect(replace()).rejects.toThrow('ENOENT');
    expect(inside('dist')).toEqual(['http', 'http/first.js']);
    expect(readdirSync(join(folder, '.build'))).toEqual([]);
  });
});
