import { type ChildProcess, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cleanUpAtExit } from '../../scripts/machine/clean-up-at-exit.js';
import { findFreePort } from '../../scripts/machine/free-port.js';
import { removeFolder } from '../../scripts/machine/remove-folder.js';
import { ASSETS } from '../support/assets.js';
import { Build } from './build.js';
import { Container } from './container.js';
import { readStages, type Stage } from './stages.js';

/*
 * The steps of the Dockerfile in order without Docker, with this machine's Node and compiler, and then what Docker does with the image: its
 * command as its user, its health check, its signal.
 */

const BUILD_MS = 15 * 60_000;
const LEFT_BEHIND = [
  'src',
  'node_modules/typescript',
  'node_modules/jest',
  'node_modules/undici',
  'node_modules/swagger-ui-dist',
  'node_modules/typeorm/browser',
  'node_modules/embedded-sqlite/deps',
  'dist/main.js.map',
  '.npmrc',
];
/** Size that the image adds to Node's. */
const MAX_MIB = 60;
const CREATE_KEY = ['node', 'dist/cli.js', 'key', 'create', '--account', 'a', '--role', 'broker'];

const stages = readStages(readFileSync('Dockerfile', 'utf8'));
const image = stages.at(-1) as Stage;

describe('the image of the Dockerfile', () => {
  const folder = mkdtempSync(join(process.env.TEST_DISK_FOLDER ?? tmpdir(), 'registry-image-'));
  const exit = cleanUpAtExit(() => removeFolder(folder));
  let directory: string;
  let container: Container;
  let service: ChildProcess | undefined;

  beforeAll(async () => {
    // The image's user must find his way into it.
    chmodSync(folder, 0o755);
    const build = new Build(process.cwd(), folder);
    for (const stage of stages) directory = await build.run(stage);
    // The image's own address and port may be in use here.
    const DATABASE_URL = 'sqlite:data/registry.sqlite';
    container = new Container(image, directory, {
      DATABASE_URL,
      HOST: '127.0.0.1',
      PORT: String(await findFreePort()),
    });
  }, BUILD_MS);
  afterAll(() => {
    service?.kill('SIGKILL');
    removeFolder(folder);
    exit.revoke();
  });

  it.each(LEFT_BEHIND)('is without %s', (path) => expect(existsSync(join(directory, path))).toBe(false));

  it('has the one program of SQLite for its system, and is small', () => {
    expect(readdirSync(join(directory, 'node_modules/embedded-sqlite/prebuilds'))).toEqual([
      `linux-${process.arch}.node`,
    ]);
    const [mib] = execFileSync('du', ['-sm', directory], { encoding: 'utf8' }).split('\t');
    expect(Number(mib)).toBeLessThan(MAX_MIB);
  });

  it('has a health check, which fails where nothing listens', async () => {
    expect((await container.run(image.healthCheck)).code).toBe(1);
  });

  it('has the examples that --demo adds', async () => {
    const { code, output } = await container.run(['node', '--input-type=module', '-e', "await import('#demo')"]);
    expect({ code, output }).toEqual({ code: 0, output: '' });
  });

  it('has a command line that makes a key, with which an asset is created; then the health check passes', async () => {
    const { output } = await container.run(CREATE_KEY);
    const started = await container.start();
    service = started.service;
    expect((await container.run(image.healthCheck)).code).toBe(0);
    const body = readFileSync('src/asset-types/basic/basic.example.json');
    const headers = { Authorization: `Bearer ${/ark_\S+/.exec(output)?.[0]}`, 'Content-Type': 'application/json' };
    expect((await fetch(started.url + ASSETS, { method: 'POST', headers, body })).status).toBe(201);
  });

  it('keeps its data as its user', () => {
    const owner = process.getuid?.() === 0 ? image.user?.uid : process.getuid?.();
    expect(statSync(join(directory, 'data/registry.sqlite')).uid).toBe(owner);
  });

  it('is ended by its signal, with 0', async () => {
    const ended = once(service as ChildProcess, 'exit');
    service?.kill(image.stopSignal as NodeJS.Signals);
    expect(await ended).toEqual([0, null]);
  });
});
