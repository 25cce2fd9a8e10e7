import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cleanUpAtExit } from '../../scripts/machine/clean-up-at-exit.js';
import { removeFolder } from '../../scripts/machine/remove-folder.js';
import { assetBody, ASSETS } from '../support/assets.js';
import { ServiceProcess } from '../support/process.js';
import { sendTo } from '../support/registry.js';
import { until } from '../support/until.js';

/*
 * The registry as a package: what `npm pack` makes of the checkout is installed into an empty folder, with no setting of ours, and used there.
 */

const run = promisify(execFile);
const INSTALL_MS = 10 * 60_000;
const MAX_PACKED_BYTES = 2.5e6;
/** Mostly dependencies, in MiB on disk: typeorm 30, better-sqlite3 27, libphonenumber-js 12, rxjs 12, class-validator 8. */
const MAX_INSTALLED_MIB = 140;
/** Packages of the checkout, and those that only its development needs. */
const OF_THE_CHECKOUT = [
  'asset-registry-client',
  'newer-node',
  'registry-sync',
  'swagger-ui-dist',
  'typescript',
  'undici',
];

describe('the packed registry, installed into an empty folder', () => {
  const folder = mkdtempSync(join(process.env.TEST_DISK_FOLDER ?? tmpdir(), 'registry-package-'));
  const exit = cleanUpAtExit(() => removeFolder(folder));
  const project = join(folder, 'project');
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: process.env.HOME ?? '',
    // Settings to reach the npm registry; all others are npm's defaults.
    npm_config_registry: process.env.npm_config_registry ?? '',
    NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS ?? '',
    npm_config_prefer_offline: 'true',
    npm_config_update_notifier: 'false',
  };
  const shell = async (line: string): Promise<string> =>
    (await run('/bin/sh', ['-c', line], { cwd: project, env })).stdout;
  let file: string;
  let installed: string;
  let service: ServiceProcess | undefined;

  beforeAll(async () => {
    await run('npm', ['pack', '--silent', '--pack-destination', folder], { env });
    file = join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '');
    await run('mkdir', [project]);
    writeFileSync(join(project, 'package.json'), '{}');
    installed = await shell(`npm install ${file} 2>&1`);
  }, INSTALL_MS);
  afterAll(async () => {
    await service?.kill('SIGKILL');
    removeFolder(folder);
    exit.revoke();
  });

  it('is a small file', () => {
    expect(statSync(file).size).toBeLessThan(MAX_PACKED_BYTES);
  });

  it('is installed without a warning', () => {
    expect(installed).toMatch(/^\s*added \d+ packages/);
    expect(installed).not.toMatch(/warn|error|deprecated/i);
  });

  it('has one SQLite, and nothing that a checkout alone needs', async () => {
    const packages = readdirSync(join(project, 'node_modules'));
    expect(packages).toEqual(expect.arrayContaining(['asset-registry', 'embedded-sqlite', 'typeorm']));
    expect(packages.filter((name) => [...OF_THE_CHECKOUT, 'better-sqlite3'].includes(name))).toEqual([]);
    expect(existsSync(join(project, 'node_modules/asset-registry/node_modules'))).toBe(false);
    const [mib] = (await shell('du -sm node_modules')).split('\t');
    expect(Number(mib)).toBeLessThan(MAX_INSTALLED_MIB);
  });

  it('serves, with examples', async () => {
    const started = await ServiceProcess.start(
      { ...env, DATABASE_URL: 'sqlite:data/registry.sqlite' },
      // The command that npx runs; npx itself does not forward signals.
      ['-c', `cd ${project} && exec node_modules/.bin/asset-registry --demo`],
      '/bin/sh',
    );
    service = started;
    await until(() => started.output().includes('Try:'));
    expect(started.output()).toMatch(/Examples {3}300 assets/);
    expect(started.output()).toContain('-d @node_modules/asset-registry/dist/asset-types/basic/basic.example.json');
    const { url } = started;
    expect((await sendTo(url, ASSETS, { method: 'POST', key: 'broker', body: assetBody() })).status).toBe(201);
    expect((await sendTo(url, `${ASSETS}?limit=10`)).json.data).toHaveLength(10);
    for (const path of ['/', '/docs/', '/docs/swagger-ui-bundle.js'])
      expect((await fetch(url + path)).status).toBe(200);
  });

  it('has both commands by npx', async () => {
    expect(await shell('npx asset-registry --version')).toBe('0.1.0\n');
    const listed = await shell('DATABASE_URL=sqlite:data/registry.sqlite npx registry key list');
    expect(listed).toContain('administrator');
  });

  it('describes the vocabulary of asset types to a compiler', () => {
    expect(existsSync(join(project, 'node_modules/asset-registry/dist/asset-types/vocabulary.d.ts'))).toBe(true);
  });

  it('ends in order', async () => {
    expect(await service?.kill('SIGTERM')).toMatchObject({ code: 0 });
    service = undefined;
  });
});
