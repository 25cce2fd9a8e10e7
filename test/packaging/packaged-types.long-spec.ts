import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import example from '../../src/asset-types/basic/basic.example.json' with { type: 'json' };
import { ASSETS, type JsonObject } from '../support/assets.js';
import { embedded, type TestDatabase } from '../support/databases.js';
import { expectError } from '../support/errors.js';
import { runService, ServiceProcess } from '../support/process.js';
import { ProjectCopy } from '../support/project-copy.js';
import { type Reply, sendTo } from '../support/registry.js';

/*
 * Asset types of other repositories: a package is written in TypeScript, compiled against the registry's declarations, packed, and installed
 * into a copy of the project. The other way round, the typed client is packed there and installed into another project.
 */

const PACKAGE = '@team/registry-ship';
const FOLDER = '../registry-ship';
const LABELS = `{ uk: 'Назва', en: 'Title' }`;

const MANIFEST = {
  name: PACKAGE,
  version: '1.2.0',
  type: 'module',
  exports: './dist/ship.asset-type.js',
  files: ['dist'],
  peerDependencies: { 'asset-registry': '^0.1.0' },
};

const COMPILER = {
  compilerOptions: {
    target: 'es2023',
    module: 'nodenext',
    strict: true,
    experimentalDecorators: true,
    emitDecoratorMetadata: true,
    resolveJsonModule: true,
    rootDir: 'src',
    outDir: 'dist',
    types: [],
  },
};

const SOURCE = `
import { MinLength } from 'class-validator';
import { type AssetType, Item, Items, Nested, Quantity, STANDARD_LIFECYCLE, Text, Value } from 'asset-registry/asset-types';
import example from './ship.example.json' with { type: 'json' };

export class Deck extends Item {
  @Quantity({ uk: 'Площа', en: 'Area' })
  area!: number;
}

export class Ship {
  @Text(${LABELS})
  @MinLength(3)
  title!: string;

  @Nested(() => Value, { uk: 'Вартість', en: 'Value' })
  value!: Value;

  @Items(() => Deck, { uk: 'Палуби', en: 'Decks', atLeast: 1 })
  decks!: Deck[];
}

const ship: AssetType<Ship> = {
  name: 'ship',
  aliases: ['vessel'],
  labels: { uk: 'Судно', en: 'Ship' },
  dto: Ship,
  example,
  lifecycle: {
    ...STANDARD_LIFECYCLE,
    states: { ...STANDARD_LIFECYCLE.states, sunk: { labels: { uk: 'Затонуло', en: 'Sunk' }, listed: true, editors: {}, final: true } },
    moves: [...STANDARD_LIFECYCLE.moves, { from: 'pending', to: 'sunk', by: 'owner' }],
  },
  check: ({ title }) => (title === 'Титанік' ? [{ name: 'title', description: 'It has gone down' }] : []),
};
export default ship;

export class Buoy {
  @Text(${LABELS})
  title!: string;
}

const buoy: AssetType<Buoy> = {
  name: 'buoy',
  labels: { uk: 'Буй', en: 'Buoy' },
  dto: Buoy,
  example: { data: { assetType: 'buoy', title: 'Буй' } },
};
export const assetTypes: AssetType[] = [ship, buoy];
`;

/** The package's own test, in any runner: a script here. */
const OWN_TEST = `
import { checkAssetType } from 'asset-registry/asset-types';
import { assetTypes } from './dist/ship.asset-type.js';

for (const type of assetTypes) checkAssetType(type);
const [, buoy] = assetTypes;
checkAssetType({ ...buoy, labels: {}, check: 5 });
`;

const EXAMPLE = {
  data: {
    assetType: 'ship',
    title: 'Чайка',
    value: { currency: 'UAH', amount: 5, valueAddedTaxIncluded: true },
    decks: [{ area: 7 }],
  },
};

let copy: ProjectCopy;
const main = (): string => `${copy.folder}/dist/main.js`;

beforeAll(async () => {
  copy = new ProjectCopy();
  copy.write(`${FOLDER}/package.json`, JSON.stringify(MANIFEST));
  copy.write(`${FOLDER}/tsconfig.json`, JSON.stringify(COMPILER));
  copy.write(`${FOLDER}/src/ship.asset-type.ts`, SOURCE);
  copy.write(`${FOLDER}/src/ship.example.json`, JSON.stringify(EXAMPLE));
  // As if npm had installed the checkout and class-validator there.
  await copy.succeed(`mkdir node_modules && ln -s ${copy.folder}/node_modules/* node_modules/`, FOLDER);
  copy.write(`${FOLDER}/test.js`, OWN_TEST);
  await copy.succeed('node node_modules/typescript/bin/tsc && npm pack', FOLDER);
  await copy.succeed(`npm install --no-save --ignore-scripts ${FOLDER}/team-registry-ship-1.2.0.tgz`);
});
afterAll(() => copy?.remove());

describe.each(embedded)('a type that came in a package, on $name', (kind) => {
  let database: TestDatabase;
  let service: ServiceProcess;
  let id: string;
  let token: string;

  const post = (data: JsonObject): Promise<Reply> =>
    sendTo(service.url, ASSETS, { method: 'POST', key: 'broker', body: { data } });
  const patch = (data: JsonObject): Promise<Reply> =>
    sendTo(service.url, `${ASSETS}/${id}?acc_token=${token}`, { method: 'PATCH', key: 'broker', body: { data } });

  beforeAll(async () => {
    database = await kind.create();
    service = await ServiceProcess.start({ DATABASE_URL: database.url, ASSET_TYPES: PACKAGE }, [main()]);
  });
  afterAll(async () => {
    await service?.kill('SIGTERM');
    await database?.drop();
  });

  it('is created, under its earlier name too', async () => {
    const path = `${ASSETS}?dry_run=1`;
    const dryRun = await sendTo(service.url, path, { method: 'POST', key: 'broker', body: EXAMPLE });
    const created = await post({ ...EXAMPLE.data, assetType: 'vessel' });
    expect([dryRun.status, dryRun.json.access]).toEqual([200, undefined]);
    expect(created.json.data).toMatchObject(dryRun.json.data);
    expect(created.status).toBe(201);
    ({ id } = created.json.data);
    ({ token } = created.json.access);
    expect(created.json.data).toMatchObject({ assetType: 'ship', status: 'draft', value: { amount: 5 } });
    expect(created.json.data.decks[0].id).toMatch(/^[0-9a-f]{32}$/);
  });

  it('is refused by its fields, its decorators of class-validator and its own check', async () => {
    const faultsOf = async (fields: JsonObject): Promise<string[]> =>
      ((await post({ ...EXAMPLE.data, ...fields })).json.errors as { name: string }[]).map(({ name }) => name);
    expect(await faultsOf({ title: 'ab', sails: 3, decks: [] })).toEqual(['sails', 'title', 'decks']);
    expect(await faultsOf({ title: 'Титанік' })).toEqual(['title']);
  });

  it('is changed in a group, all or none', async () => {
    const { id: other } = (await post({ ...EXAMPLE.data, title: 'Байда' })).json.data;
    const publish = (status: string): Promise<Reply> =>
      sendTo(service.url, ASSETS, {
        method: 'PATCH',
        key: 'administrator',
        body: {
          data: [
            { id: other, status: 'pending' },
            { id, status },
          ],
        },
      });
    expect((await publish('afloat')).json.errors).toMatchObject([{ name: 'data.1.status' }]);
    const { json } = await publish('draft');
    expect(json.data.map(({ status }: JsonObject) => status)).toEqual(['pending', 'draft']);
  });

  it('moves by its own states, and is listed', async () => {
    const body = { access: { token }, data: { status: 'sunk' } };
    const path = `${ASSETS}/${id}?dry_run=1`;
    expectError(await sendTo(service.url, path, { method: 'PATCH', key: 'broker', body }), 403, 'body', 'data');
    expect((await patch({ status: 'pending', title: 'Чайка II' })).json.data).toMatchObject({ title: 'Чайка II' });
    const dryRun = await sendTo(service.url, path, { method: 'PATCH', key: 'broker', body });
    expect(dryRun.json.data).toMatchObject({ id, status: 'sunk', title: 'Чайка II' });
    expect((await patch({ status: 'sunk' })).status).toBe(200);
    const { json } = await sendTo(service.url, `${ASSETS}?opt_fields=assetType,title,status`);
    expect(json.data).toContainEqual(
      expect.objectContaining({ id, assetType: 'ship', title: 'Чайка II', status: 'sunk' }),
    );
  });

  it('works together with the built-in ones, and with another of its package', async () => {
    expect((await post(example.data)).json.data.assetType).toBe('basic');
    expect((await post({ assetType: 'buoy', title: 'Буй' })).json.data.assetType).toBe('buoy');
  });

  it('is in the OpenAPI document, which other tools make types from', async () => {
    const { json } = await sendTo(service.url, '/api/0.1/openapi.json');
    expect(Object.keys(json.components.schemas)).toEqual(
      expect.arrayContaining(['ShipAsset', 'BuoyAsset', 'BasicAsset']),
    );
  });
});

it('its package tries its types by checkAssetType, which names every fault at once', async () => {
  const { code, output } = await copy.run('node test.js', FOLDER);
  expect(code).toBe(1);
  expect(output).toMatch(
    /Asset type buoy breaks the contract:\n- it has no label in Ukrainian \(uk\) and English \(en\)\n- its check is not a function\n/,
  );
});

describe('the copies that a checkout has', () => {
  const read = (path: string): string => readFileSync(`${copy.folder}/${path}`, 'utf8');
  const run = (script: string): Promise<string> => copy.succeed(`ASSET_TYPES=${PACKAGE} npm run --silent ${script}`);

  it('of the OpenAPI document has it', async () => {
    await run('openapi');
    const names = Object.keys(JSON.parse(read('openapi.json')).components.schemas);
    expect(names).toEqual(expect.arrayContaining(['ShipAsset', 'BuoyAsset']));
  });

  it("of the client's types have it, and are sound", async () => {
    await run('client:types');
    const types = read('clients/typescript/src/asset-types.ts');
    for (const name of ['Ship', 'ShipInput', 'Deck', 'Buoy', 'Basic'])
      expect(types).toMatch(new RegExp(`^export interface ${name} `, 'm'));
    await copy.succeed('node_modules/.bin/tsc -b clients/typescript');
  });
});

const PEERS = { 'asset-registry': '*' };

/** A type in plain JavaScript, of one field. */
const typeOf = (members: string): string => `
  import { Text } from 'asset-registry/asset-types';
  class Dto {}
  Text(${LABELS})(Dto.prototype, 'title');
  export const assetType = { name: 'x', labels: ${LABELS}, dto: Dto, example: { data: { assetType: 'x', title: 'x' } }, ${members} };
`;

interface Fixture {
  manifest?: JsonObject;
  code?: string;
  /** End of the error message. */
  sentence: string;
}

const FAULTY: Record<string, Fixture> = {
  'exports-nothing': {
    code: 'export default { basic: 1 };',
    sentence: 'it exports no asset type: neither as default, nor as assetType, nor in a list assetTypes',
  },
  'exports-no-list': { code: 'export const assetTypes = { name: 1 };', sentence: 'its assetTypes are not a list' },
  'lists-another-thing': {
    code: "export const assetTypes = [{ name: 'x' }, {}];",
    sentence: 'number 2 of its assetTypes is not an asset type',
  },
  'needs-another': {
    manifest: { peerDependencies: { 'asset-registry': '^9.1.0' } },
    sentence: 'it needs asset-registry ^9.1.0, and this is 0.1.0',
  },
  'has-a-defect': { code: "throw new Error('It does not work');", sentence: 'it cannot be loaded: It does not work' },
};

describe('a package that cannot be used keeps the service from starting, with a sentence that names it', () => {
  const install = (name: string, { manifest = {}, code = '' }: Partial<Fixture>): void => {
    const members = {
      name,
      version: '1.0.0',
      type: 'module',
      exports: './index.js',
      peerDependencies: PEERS,
      ...manifest,
    };
    copy.write(`node_modules/${name}/package.json`, JSON.stringify(members));
    copy.write(`node_modules/${name}/index.js`, code);
  };
  const start = async (packages: string): Promise<string> => {
    const env = { DATABASE_URL: `sqlite:${copy.parent}/faulty.sqlite`, ASSET_TYPES: packages };
    const { code, output } = await runService(env, main());
    expect(code).toBe(1);
    return output;
  };

  it.each(Object.entries(FAULTY))('%s', async (name, fixture) => {
    install(name, fixture);
    const output = await start(`${PACKAGE},${name}`);
    expect(output).toContain(`The package ${name} of ASSET_TYPES cannot be used: `);
    expect(output).toContain(fixture.sentence);
    // No stack.
    expect(output.trim()).not.toMatch(/\n\s+at /);
  });

  it('is not installed', async () => {
    expect(await start('@team/gone')).toBe(
      'The package @team/gone of ASSET_TYPES cannot be used: it is not installed: npm install --no-save @team/gone\n',
    );
  });

  it('brings another copy of the registry', async () => {
    install('has-a-copy', { code: typeOf('') });
    const manifest = { name: 'asset-registry', version: '0.1.0', exports: { './asset-types': './index.js' } };
    copy.write('node_modules/has-a-copy/node_modules/asset-registry/package.json', JSON.stringify(manifest));
    copy.write('node_modules/has-a-copy/node_modules/asset-registry/index.js', '');
    expect(await start('has-a-copy')).toContain(
      'has-a-copy of ASSET_TYPES cannot be used: it finds another copy of asset-registry: ',
    );
  });

  it('breaks the contract', async () => {
    install('is-faulty', { code: typeOf("name: 'a b'") });
    expect(await start('is-faulty')).toContain(
      'Asset type a b (in the package is-faulty) cannot be installed: its name a b is not',
    );
  });

  it('has the name of a type of another package', async () => {
    for (const name of ['is-one', 'is-other']) install(name, { code: typeOf('') });
    expect(await start('is-one,is-other')).toBe(
      'Two installed asset types, or aliases, have the name x (in the package is-one) and (in the package is-other)\n',
    );
  });
});

it('the typed client is packed and installed as its page says', async () => {
  const page = readFileSync('clients/typescript/README.md', 'utf8');
  const [, pack] = /^npm run build && (npm pack .*)$/m.exec(page) as unknown as [string, string];
  const [install] = /^npm install .*$/m.exec(page) as unknown as [string];
  const project = '../broker';
  copy.write(`${project}/package.json`, '{"type":"module"}');
  copy.write(`${project}/main.js`, "import 'asset-registry-client'; import 'asset-registry-tlog';");
  await copy.succeed(pack);
  // The rest comes from npm, which a test does not ask.
  await copy.succeed(`${install} ${copy.folder}/node_modules/undici --ignore-scripts && node main.js`, project);
});
