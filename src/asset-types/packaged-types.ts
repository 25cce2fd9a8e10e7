import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { satisfies } from 'compare-versions';
import type { AssetType } from './asset-type.js';
import { AssetTypeError, AssetTypes } from './asset-types.js';
import * as builtIn from './installed.js';

/*
 * Asset types that live in npm packages of other repositories. Why it is done so: docs/decisions/0026.
 */

/** The members of a package.json that are read here. */
interface Manifest {
  version?: string;
  peerDependencies?: Readonly<Record<string, string>>;
}

const OWN_NAME = 'asset-registry';
/** What `exports` of package.json leads to `OWN_FILE`. */
const VOCABULARY = `${OWN_NAME}/asset-types`;
const OWN_FILE = fileURLToPath(new URL('../asset-types.js', import.meta.url));
const require = createRequire(import.meta.url);

/**
 * The built-in types, and those of packages.
 * @param packages names of npm packages that can be found from the registry's own folder
 * @throws AssetTypeError for the first package or type that cannot be used
 */
export async function loadAssetTypes(packages: readonly string[]): Promise<AssetTypes> {
  return new AssetTypes(Object.values(builtIn), await loadPackagedTypes(packages));
}

/**
 * @returns the types that each package exports, with the package's name
 * @throws AssetTypeError with a sentence that names the first package that cannot be used, and why
 */
async function loadPackagedTypes(names: readonly string[]): Promise<Map<AssetType, string>> {
  const types = new Map<AssetType, string>();
  for (const name of names) for (const type of await loadTypes(name)) types.set(type, name);
  return types;
}

async function loadTypes(name: string): Promise<ReadonlySet<AssetType>> {
  const folder = findFolder(name);
  if (folder === undefined) throw unusable(name, `it is not installed: npm install --no-save ${name}`);
  const fault = faultOfPeers(readManifest(folder)) ?? faultOfVocabulary(folder);
  if (fault !== undefined) throw unusable(name, fault);
  const types = exportedTypes(name, await importPackage(name));
  if (types.size === 0)
    throw unusable(name, 'it exports no asset type: neither as default, nor as assetType, nor in a list assetTypes');
  return types;
}

/** One as `default` or `assetType`, and those of the list `assetTypes`, which may name that one, too. */
function exportedTypes(name: string, exported: Readonly<Record<string, unknown>>): ReadonlySet<AssetType> {
  const one = [exported['default'], exported['assetType']].find(isAssetType);
  const list = exported['assetTypes'] ?? [];
  if (!Array.isArray(list)) throw unusable(name, 'its assetTypes are no list');
  const wrong = list.findIndex((member) => !isAssetType(member));
  if (wrong !== -1) throw unusable(name, `number ${wrong + 1} of its assetTypes is no asset type`);
  return new Set([...(one === undefined ? [] : [one]), ...(list as AssetType[])]);
}

/** Where Node would find the package, whatever it exports. */
function findFolder(name: string): string | undefined {
  const folders = (require.resolve.paths(name) ?? []).map((path) => join(path, name));
  return folders.find((folder) => existsSync(join(folder, 'package.json')));
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}

/** A package that does not say for which versions it was made is taken at its word. */
function faultOfPeers({ peerDependencies = {} }: Manifest): string | undefined {
  const wanted = peerDependencies[OWN_NAME];
  if (wanted === undefined) return undefined;
  const { version = '' } = require(`${OWN_NAME}/package.json`) as Manifest;
  return isSatisfied(version, wanted) ? undefined : `it needs ${OWN_NAME} ${wanted}, and this is ${version}`;
}

function isSatisfied(version: string, range: string): boolean {
  try {
    return range === '*' || satisfies(version, range);
  } catch {
    // No range of versions, so nobody can tell.
    return false;
  }
}

/** With modules of another copy its fields would be described where nobody looks. */
function faultOfVocabulary(folder: string): string | undefined {
  try {
    const found = createRequire(join(folder, 'package.json')).resolve(VOCABULARY);
    return found === OWN_FILE ? undefined : `it finds another copy of ${OWN_NAME}: ${found}`;
  } catch {
    return `it does not find ${VOCABULARY} from where it is: name ${OWN_NAME} in its peerDependencies, and install it again`;
  }
}

async function importPackage(name: string): Promise<Record<string, unknown>> {
  try {
    return (await import(name)) as Record<string, unknown>;
  } catch (error) {
    throw unusable(name, `it cannot be loaded: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** What is wrong with it otherwise is found out as with every type. */
function isAssetType(value: unknown): value is AssetType {
  return typeof value === 'object' && value !== null && typeof (value as Partial<AssetType>).name === 'string';
}

function unusable(name: string, fault: string): AssetTypeError {
  return new AssetTypeError(`The package ${name} of ASSET_TYPES cannot be used: ${fault}`);
}
