import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { builtService, type Ended, ended } from '../support/process.js';

describe('a file .env in the folder where the service is started', () => {
  let folder: string;

  const start = (program: string, words: string[], env: Record<string, string> = {}): Promise<Ended> =>
    ended(spawn(process.execPath, [program, ...words], { cwd: folder, env: { PATH: process.env.PATH, ...env } }));
  const migrate = (env?: Record<string, string>): Promise<Ended> => start(resolve('dist/cli.js'), ['migrate'], env);
  const isThere = (name: string): boolean => existsSync(join(folder, name));

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'registry-env-'));
    writeFileSync(join(folder, '.env'), '# A comment\nDATABASE_URL="sqlite:named.sqlite"\nPORT=none\n');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('sets variables that the environment does not set', async () => {
    expect(await start(builtService(), [])).toEqual({
      code: 1,
      output: expect.stringContaining('PORT must be a port number'),
    });
    writeFileSync(join(folder, '.env'), 'DATABASE_URL=sqlite:named.sqlite\n');
    expect((await migrate()).code).toBe(0);
    expect(isThere('named.sqlite')).toBe(true);
  });

  it('is overridden by the environment', async () => {
    expect((await migrate({ DATABASE_URL: 'sqlite:other.sqlite', PORT: '0' })).code).toBe(0);
    expect([isThere('other.sqlite'), isThere('named.sqlite')]).toEqual([true, false]);
  });

  it.each(['production', 'test'])('is not read with NODE_ENV=%s', async (NODE_ENV) => {
    expect((await migrate({ NODE_ENV, DATABASE_URL: 'sqlite:other.sqlite' })).code).toBe(0);
    expect(isThere('named.sqlite')).toBe(false);
  });

  it('that cannot be read ends the service and a command with a sentence', async () => {
    rmSync(join(folder, '.env'));
    mkdirSync(join(folder, '.env'));
    expect(await start(builtService(), [])).toEqual({
      code: 1,
      output: expect.stringMatching(/^\.env cannot be read: .*\n$/),
    });
    expect(await migrate()).toEqual({
      code: 1,
      output: expect.stringMatching(/^registry: \.env cannot be read: .*\n$/),
    });
  });
});
