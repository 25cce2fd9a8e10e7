import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { readManifest } from '../../scripts/production-packages.js';

const run = promisify(execFile);
const BUILD_MS = 5 * 60_000;

/** Those that take options; the others begin at once. */
const PROGRAMS = Object.entries(readManifest('.').scripts ?? {}).flatMap(([name, script]) => {
  const program = /node (\.tools\/(?:test|bench)\/\S+)/.exec(script)?.[1];
  return program === undefined ? [] : [[name, program] as const];
});

describe('a program that is compiled separately from the service', () => {
  beforeAll(() => run('npm', ['run', '--silent', 'tools']), BUILD_MS);

  it.each(PROGRAMS)('npm run %s says what it does', async (_, program) => {
    const { stdout } = await run(process.execPath, [program, '--help']);
    expect(stdout).toMatch(/^Usage: /);
  });

  it('npm run typeorm says in a sentence that a login is refused', async () => {
    const url = new URL(process.env.TEST_SERVER_URL as string);
    const env = { ...process.env, DATABASE_URL: `mysql://unknown:wrong@${url.host}/registry` };
    const refused = run('npm', ['run', '--silent', 'typeorm', '--', 'migration:show'], { env });
    await expect(refused).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^typeorm: DATABASE_URL: the server refuses the user.*\n$/),
    });
  });
});
