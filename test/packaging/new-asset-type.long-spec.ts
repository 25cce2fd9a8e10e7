import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ASSETS, type JsonObject } from '../support/assets.js';
import { embedded, type TestDatabase } from '../support/databases.js';
import { ServiceProcess } from '../support/process.js';
import { ProjectCopy } from '../support/project-copy.js';
import { sendTo } from '../support/registry.js';

/*
 * `npm run new:asset-type` in a copy of the project: a type that is thrown away, as it comes.
 */

const TYPE = 'src/asset-types/throw-away/throw-away';
const FILES = [`${TYPE}.dto.ts`, `${TYPE}.asset-type.ts`, `${TYPE}.example.json`, 'src/asset-types/installed.ts'];

let copy: ProjectCopy;
let output: string;

beforeAll(async () => {
  copy = new ProjectCopy();
  output = await copy.succeed("npm run --silent new:asset-type -- throwAway --uk 'На один раз' --en Disposable");
  await copy.succeed('npm run build');
});
afterAll(() => copy?.remove());

const generate = (words: string): Promise<{ code: number | null; output: string }> =>
  copy.run(`npm run --silent new:asset-type -- ${words}`);
const textOf = (path: string): string => readFileSync(`${copy.folder}/${path}`, 'utf8');

describe('a new asset type, as it is generated', () => {
  it('is three files and a line, which it lists with the next steps', () => {
    for (const file of FILES) expect(output).toContain(`  ${file}\n`);
    expect(output).toContain(`-d @${TYPE}.example.json http://`);
    expect(output).not.toContain('Ukrainian');
    expect(textOf(FILES[1] as string)).toContain("labels: { uk: 'На один раз', en: 'Disposable' }");
  });

  it('has the tests of every type, and passes them', async () => {
    const jestOutput = await copy.succeed(
      'npx jest --selectProjects unit --testPathPatterns src/assets/installed-types',
    );
    expect(jestOutput).toContain('✓ the asset type throwAway fulfils the contract of asset types');
  });

  // The compiler has said of it what it has to say when it was built.
  it('passes the checks of the project', async () => {
    const run = await copy.run(
      'npx oxlint --type-aware --deny-warnings src/asset-types && npx prettier --check src/asset-types',
    );
    expect(run).toMatchObject({ code: 0 });
  });
});

describe.each(embedded)('a new asset type in the service, on $name', (kind) => {
  let database: TestDatabase;
  let service: ServiceProcess;

  beforeAll(async () => {
    database = await kind.create();
    service = await ServiceProcess.start({ DATABASE_URL: database.url }, [`${copy.folder}/dist/main.js`]);
  });
  afterAll(async () => {
    await service?.kill('SIGTERM');
    await database?.drop();
  });

  it('is created, published and listed', async () => {
    const body = JSON.parse(textOf(`${TYPE}.example.json`)) as { data: JsonObject };
    const created = await sendTo(service.url, ASSETS, { method: 'POST', key: 'broker', body });
    expect(created.status).toBe(201);
    expect(created.json.data).toMatchObject(body.data);
    const path = `${ASSETS}/${created.json.data.id}?acc_token=${created.json.access.token}`;
    const published = await sendTo(service.url, path, {
      method: 'PATCH',
      key: 'broker',
      body: { data: { status: 'pending' } },
    });
    expect(published.status).toBe(200);
    const { json } = await sendTo(service.url, `${ASSETS}?opt_fields=assetType`);
    expect(json.data).toEqual([expect.objectContaining({ id: created.json.data.id, assetType: 'throwAway' })]);
  });
});

describe('a name that cannot be used is refused with a sentence, and nothing is written', () => {
  it.each([
    ['claimRights', 'There is a type claimRights already'],
    ['throw-away', 'There is a type throwAway already'],
    ['left-over', 'There is a folder src/asset-types/left-over already'],
  ])('%s', async (name, sentence) => {
    const list = textOf('src/asset-types/installed.ts');
    copy.write('src/asset-types/left-over/left-over.dto.ts', '');
    expect(await generate(name)).toEqual({ code: 1, output: `${sentence}. Nothing was written.\n` });
    expect(textOf('src/asset-types/installed.ts')).toBe(list);
  });

  it('--help describes its arguments', async () => {
    const { code, output: help } = await generate('--help');
    expect(code).toBe(0);
    for (const word of ['<name>', '--uk <label>', '--en <label>']) expect(help).toContain(word);
  });
});
