import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { satisfies } from 'compare-versions';
import type { AssetType } from './asset-type.js';
import { AssetTypeError } from './asset-types.js';

/*
 * Asset types that live in npm packages of other repositories. Why it is done so: docs/decisions/0026.
 */

/** The members of a package.json that are read here. */
interface Manifest {
  version?: string;
  peerDependencies?: Readonly<Record<string, string>>;
}

const OWN_NAME = 'asset-registry';
const VOCABULARY = `${OWN_NAME}/asset-types`;
const require = createRequire(import.meta.url);

/**
 * @param names of packages that can be found from the registry's own folder
 * @returns the type that each exports, with the package's name
 * @throws AssetTypeError with a sentence that names the first package that cannot be used, and why
 */
export async function loadPackagedTypes(names: readonly string[]): Promise<Map<AssetType, string>> {
  const types = new Map<AssetType, string>();
  for (const name of names) types.set(await loadType(name), name);
  return types;
}

async function loadType(name: string): Promise<AssetType> {
  const folder = findFolder(name);
  if (folder === undefined) throw unusable(name, `it is not installed: npm install --no-save ${name}`);
  const fault = faultOfPeers(readManifest(folder)) ?? faultOfVocabulary(folder);
  if (fault !== undefined) throw unusable(name, fault);
  const exported = await importPackage(name);
  const type = [exported['default'], exported['assetType']].find(isAssetType);
  if (type === undefined) throw unusable(name, 'it exports no asset type, neither as default nor as assetType');
  return type;
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
  const { version = '' } = readManifest(fileURLToPath(new URL('../..', import.meta.url)));
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
    const own = fileURLToPath(new URL('./vocabulary.js', import.meta.url));
    return found === own ? undefined : `it finds another copy of ${OWN_NAME}: ${found}`;
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
