import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { removeFolder } from '../../scripts/machine/remove-folder.js';
import { type Ended, ended } from '../support/process.js';

/*
 * openapi.json as others use it: two generators of clients and a linter, each fetched from the npm registry into a separate folder, and
 * clients that are compiled against what the generators wrote.
 */

const INSTALL_MS = 10 * 60_000;
// openapi-typescript needs TypeScript 5.
const PACKAGES = [
  'typescript@5.9.3',
  'openapi-typescript@7.13.0',
  'openapi-fetch@0.17.0',
  '@hey-api/openapi-ts@0.99.0',
  '@redocly/cli@2.77.0',
];

/** Code that narrows assets by type; the same for both generators. */
const NARROWED = `
export function titleOf(asset: Asset | DryRunAsset): string | undefined {
  // An erased asset, and one whose type is not installed any more, have an assetType like any other.
  return asset.assetType === 'basic' && 'title' in asset ? asset.title : undefined;
}
export function reasonOf(asset: Asset): string | undefined {
  return asset.redacted?.[0]?.reason;
}
export function uncertainTitleOf(asset: Asset): string | undefined {
  // @ts-expect-error an asset of this type may have no title
  return asset.assetType === 'basic' ? asset.title.trim() : undefined;
}
export const asset: NewAsset['assetType'] = 'basic';
// @ts-expect-error clients cannot create an asset of this type
export const erased: NewAsset['assetType'] = 'ErasedAsset';
`;

const CLIENTS = {
  'openapi-typescript': `
import createClient from 'openapi-fetch';
import type { components, paths } from './openapi-typescript.gen.js';
type Asset = components['schemas']['Asset'];
type DryRunAsset = components['schemas']['DryRunAsset'];
type NewAsset = components['schemas']['NewAsset'];
${NARROWED}
const client = createClient<paths>({ baseUrl: 'http://127.0.0.1:9/api/0.1' });
export async function offset(): Promise<string | undefined> {
  const { data } = await client.GET('/assets', { params: { query: { limit: 1 } } });
  return data?.next_page.offset;
}
export async function total(): Promise<number | undefined> {
  return (await client.GET('/assets/search')).data?.total;
}
`,
  'hey-api': `
import type { Asset, DryRunAsset, NewAsset } from './hey-api/types.gen.js';
import { listAssets, searchAssets } from './hey-api/sdk.gen.js';
${NARROWED}
export async function offset(): Promise<string | undefined> {
  return (await listAssets({ query: { limit: 1 } })).data?.next_page.offset;
}
export async function total(): Promise<number | undefined> {
  return (await searchAssets()).data?.total;
}
`,
};

// One generator reads here how files import each other.
const COMPILER = {
  compilerOptions: {
    strict: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: true,
    target: 'es2023',
    module: 'nodenext',
  },
};
const WHOLE = { assetType: 'basic', title: 'Garage' };
const ERASED = { assetType: 'basic', redacted: [{ pointer: '/title', reason: 'A court order' }] };

interface Client {
  titleOf: (asset: object) => string | undefined;
  reasonOf: (asset: object) => string | undefined;
}

describe('openapi.json', () => {
  const folder = mkdtempSync(join(tmpdir(), 'registry-generated-'));
  const program = (name: string, ...words: string[]): Promise<Ended> =>
    ended(spawn(join(folder, 'node_modules/.bin', name), words, { cwd: folder }));
  const succeed = async (name: string, ...words: string[]): Promise<void> => {
    const { code, output } = await program(name, ...words);
    if (code !== 0) throw new Error(`${name} ended with ${code}:\n${output}`);
  };
  let compiled: Ended;

  beforeAll(async () => {
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(COMPILER));
    cpSync('openapi.json', join(folder, 'openapi.json'));
    cpSync('.redocly.lint-ignore.yaml', join(folder, '.redocly.lint-ignore.yaml'));
    execFileSync('npm', ['install', '--ignore-scripts', '--no-save', ...PACKAGES], { cwd: folder, stdio: 'pipe' });
    await succeed('openapi-typescript', 'openapi.json', '--output', 'openapi-typescript.gen.ts');
    await succeed('openapi-ts', '--input', 'openapi.json', '--output', 'hey-api');
    for (const [name, source] of Object.entries(CLIENTS)) writeFileSync(join(folder, `${name}.ts`), source);
    compiled = await program('tsc', '-p', '.');
  }, INSTALL_MS);
  afterAll(() => removeFolder(folder));

  it('has no problem that Redocly warns of', async () => {
    const { output } = await program('redocly', 'lint', 'openapi.json');
    expect(output).toContain('Your API description is valid');
    expect(output).not.toContain('You have');
  });

  it('makes clients that compile strictly', () => {
    expect(compiled).toEqual({ code: 0, output: '' });
  });

  it.each(Object.keys(CLIENTS))('makes types with %s that narrow an asset by its type', async (name) => {
    const { titleOf, reasonOf } = (await import(join(folder, `${name}.js`))) as Client;
    expect([WHOLE, ERASED].map(titleOf)).toEqual(['Garage', undefined]);
    expect([WHOLE, ERASED].map(reasonOf)).toEqual([undefined, 'A court order']);
  });
});
