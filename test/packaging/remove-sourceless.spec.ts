import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { expect, it } from '@jest/globals';

it('files compiled from deleted sources are removed, and nothing else', () => {
  const folder = mkdtempSync(join(tmpdir(), 'registry-compiled-'));
  const put = (path: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), '');
  };
  ['src/main.ts', 'src/pages/page.ts', 'src/pages/page.css', 'src/example.json'].forEach(put);
  const kept = ['example.json', 'main.d.ts', 'main.js', 'main.js.map', 'pages/page.css', 'pages/page.js'];
  const gone = ['gone.d.ts', 'gone.js', 'gone.js.map', 'gone.json', 'pages/gone.js', 'pages/old/gone.js'];
  for (const name of [...kept, ...gone, 'tsconfig.tsbuildinfo']) put(`dist/${name}`);
  execFileSync(process.execPath, [resolve('scripts/remove-sourceless.cjs'), 'dist', 'src'], { cwd: folder });
  const left = readdirSync(join(folder, 'dist'), { recursive: true }).map(String);
  expect(left.toSorted()).toEqual([...kept, 'pages', 'tsconfig.tsbuildinfo'].toSorted());
  rmSync(folder, { recursive: true });
});
