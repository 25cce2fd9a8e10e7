import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import example from '../../src/asset-types/basic/basic.example.json' with { type: 'json' };
import { ASSETS } from '../support/assets.js';
import { embedded, type TestDatabase } from '../support/databases.js';
import { runService, ServiceProcess } from '../support/process.js';
import { ProjectCopy } from '../support/project-copy.js';
import { basic } from '../support/registry.js';

/*
 * Modules of other repositories: the example is compiled against the registry's declarations, its own test is run, and it is packed and
 * installed into a copy of the project.
 */

const PACKAGE = '@team/registry-valuations';
const FOLDER = '../registry-valuations';
let copy: ProjectCopy;
let tested: string;
const main = (): string => `${copy.folder}/dist/main.js`;

beforeAll(async () => {
  copy = new ProjectCopy();
  await copy.succeed(`rm -rf ${FOLDER} && cp -R examples/module ${FOLDER}`);
  // As if npm had installed the checkout and the rest there.
  await copy.succeed(`mkdir node_modules && ln -s ${copy.folder}/node_modules/* node_modules/`, FOLDER);
  await copy.succeed('node node_modules/typescript/bin/tsc', FOLDER);
  tested = await copy.succeed('npm test', FOLDER);
  await copy.succeed('npm pack', FOLDER);
  await copy.succeed(`npm install --no-save --ignore-scripts ${FOLDER}/team-registry-valuations-1.0.0.tgz`);
});
afterAll(() => copy?.remove());

it('the test of the example passes', () => {
  expect(tested).toMatch(/\bpass 3\n.*fail 0\n/);
});

describe.each(embedded)('a module that came in a package, on $name', (kind) => {
  let database: TestDatabase;
  let service: ServiceProcess;

  beforeAll(async () => {
    database = await kind.create();
    const env = { DATABASE_URL: database.url, MODULES: PACKAGE, DEMO_KEYS: '1' };
    service = await ServiceProcess.start(env, [main()]);
  });
  afterAll(async () => {
    await service?.kill('SIGTERM');
    await database?.drop();
  });

  it('reads assets by the public services, and answers as the API does', async () => {
    const headers = { Authorization: basic('broker'), 'Content-Type': 'application/json' };
    const made = await fetch(service.url + ASSETS, { method: 'POST', headers, body: JSON.stringify(example) });
    const { id, assetID, title } = ((await made.json()) as { data: Record<string, string> }).data;
    const shown = await fetch(`${service.url}/api/0/valuations/${id}`);
    expect([shown.status, shown.headers.get('content-type'), await shown.json()]).toEqual([
      200,
      'application/json',
      { assetID, title, valuations: [] },
    ]);
    const refused = await fetch(`${service.url}/api/0.1/valuations/${id}`, { method: 'POST', headers, body: '{' });
    expect([refused.status, refused.headers.get('x-content-type-options')]).toEqual([422, 'nosniff']);
  });
});

describe('a package that cannot be used keeps the service from starting, with a sentence that names it', () => {
  const start = async (name: string): Promise<string> => {
    const env = { DATABASE_URL: `sqlite:${copy.parent}/faulty.sqlite`, MODULES: name };
    const { code, output } = await runService(env, main());
    expect([code, output.trim()]).toEqual([1, expect.not.stringMatching(/\n\s+at /)]);
    return output;
  };
  const install = (name: string, code: string): void => {
    copy.write(
      `node_modules/${name}/package.json`,
      JSON.stringify({ name, version: '1.0.0', type: 'module', exports: './index.js' }),
    );
    copy.write(`node_modules/${name}/index.js`, code);
  };

  it.each([
    ['exports-nothing', 'export default class {}', 'it exports no module of Nest, neither as default nor as module'],
    ['has-a-defect', "throw new Error('It does not work');", 'it cannot be loaded: It does not work'],
  ])('%s', async (name, code, sentence) => {
    install(name, code);
    expect(await start(name)).toContain(`The package ${name} of MODULES cannot be used: ${sentence}`);
  });

  it('is not installed', async () => {
    expect(await start('gone')).toContain('of MODULES cannot be used: it is not installed: npm install --no-save gone');
  });

  it('brings another copy of Nest', async () => {
    install('has-a-copy', '');
    const manifest = { name: '@nestjs/common', version: '12.0.0', exports: './index.js' };
    copy.write('node_modules/has-a-copy/node_modules/@nestjs/common/package.json', JSON.stringify(manifest));
    copy.write('node_modules/has-a-copy/node_modules/@nestjs/common/index.js', '');
    expect(await start('has-a-copy')).toContain('it finds another copy of @nestjs/common: ');
  });
});
