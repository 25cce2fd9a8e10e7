import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { LogKeys } from '../../src/log/log-keys.js';
import { command } from '../support/commands.js';
import { newFolder } from '../support/new-folder.js';

describe('registry log init', () => {
  let folder: string;
  beforeAll(async () => void (folder = newFolder()));

  const init = (name: string, file: string) => command(['log', 'init', name, join(folder, file)], {});

  it.each([
    ['registry.example.org', 'registry.example.org/api/0.1/log'],
    ['registry.example.org/log', 'registry.example.org/log'],
  ])('makes a key that only its owner reads: that of %s is named as the address of its log', async (given, name) => {
    const file = `key-of-${given.replace('/', '-')}`;
    expect(await init(given, file)).toMatchObject({ code: 0 });
    const path = join(folder, file);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(LogKeys.parse(await readFile(path, 'utf8')).name).toBe(name);
  });

  it('never overwrites one', async () => {
    await init('registry.example.org/log', 'kept');
    const before = await readFile(join(folder, 'kept'), 'utf8');
    const { code, output } = await init('registry.example.org/log', 'kept');
    expect([code, output]).toEqual([1, expect.stringContaining('kept exists: a key is never overwritten')]);
    expect(await readFile(join(folder, 'kept'), 'utf8')).toBe(before);
  });

  it('leaves no empty file if writing fails, and names the file', async () => {
    const words = [resolve('dist/cli.js'), 'log', 'init', 'registry.example.org/log', join(folder, 'unwritten')];
    const limited = ['-c', 'ulimit -f 0; exec "$@"', 'sh', process.execPath, ...words];
    const { code, stderr } = (await promisify(execFile)('sh', limited).catch((error: unknown) => error)) as {
      code: number;
      stderr: string;
    };
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^registry: .*unwritten/)]);
    expect(existsSync(join(folder, 'unwritten'))).toBe(false);
  });

  it('explains the form of a name, and writes no file for an invalid one', async () => {
    const { code, output } = await init('https://registry.example.org/log', 'none');
    expect([code, output]).toEqual([1, expect.stringContaining('use its address without https://')]);
    await expect(stat(join(folder, 'none'))).rejects.toThrow('ENOENT');
  });
});
