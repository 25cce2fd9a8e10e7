import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const SCRIPT = resolve('scripts/build-to-start.cjs');

describe('npm start without packages for development', () => {
  let folder: string;

  const prepare = (): { status: number | null; output: string } => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT], { cwd: folder, encoding: 'utf8' });
    return { status, output: stdout + stderr };
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'registry-start-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('uses an existing build', () => {
    mkdirSync(join(folder, 'dist'));
    writeFileSync(join(folder, 'dist/main.js'), '');
    expect(prepare()).toEqual({ status: 0, output: '' });
  });

  it('explains what to do without a build', () => {
    expect(prepare()).toEqual({
      status: 1,
      output:
        'There is no build yet, and the compiler is not installed: run "npm ci && npm run build" first, then "npm prune --omit=dev"\n',
    });
  });

  it('fails if a build fails', () => {
    mkdirSync(join(folder, 'node_modules/typescript'), { recursive: true });
    writeFileSync(join(folder, 'node_modules/typescript/index.js'), '');
    writeFileSync(join(folder, 'package.json'), '{"scripts":{"build:service":"exit 3"}}');
    expect(prepare()).toMatchObject({ status: 3, output: expect.stringMatching(/^Building what has changed/) });
  });
});
