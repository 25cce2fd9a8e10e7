import { fileURLToPath } from 'node:url';
import type { AssetType } from './asset-type.js';
import { AssetTypeError, AssetTypes } from './asset-types.js';
import * as builtIn from './installed.js';
import { importPackage, OWN_NAME } from './shared-packages.js';

/** A type that used another copy of the vocabulary would store its fields' metadata there, unseen by this process. */
const SHARED = new Map([[`${OWN_NAME}/asset-types`, fileURLToPath(new URL('../asset-types.js', import.meta.url))]]);

/**
 * Loads the built-in types and those of packages.
 * @param packages names of npm packages, resolved from the registry's folder
 * @throws AssetTypeError for the first package or type that cannot be used
 */
export async function loadAssetTypes(packages: readonly string[]): Promise<AssetTypes> {
  return new AssetTypes(Object.values(builtIn), await loadPackagedTypes(packages));
}

/**
 * Loads asset types from npm packages.
 * @returns the types that each package exports, with the package's name
 * @throws AssetTypeError naming the first package that cannot be used, and why
 */
async function loadPackagedTypes(names: readonly string[]): Promise<Map<AssetType, string>> {
  const types = new Map<AssetType, string>();
  for (const name of names) for (const type of await loadTypes(name)) types.set(type, name);
  return types;
}

async function loadTypes(name: string): Promise<ReadonlySet<AssetType>> {
  const refuse = (fault: string): AssetTypeError =>
    new AssetTypeError(`The package ${name} of ASSET_TYPES cannot be used: ${fault}`);
  const types = exportedTypes(await importPackage(name, SHARED, refuse), refuse);
  if (types.size === 0)
    throw refuse('it exports no asset type: neither as default, nor as assetType, nor in a list assetTypes');
  return types;
}

/** Collects one type from `default` or `assetType`, and the list `assetTypes`, which may repeat it. */
function exportedTypes(
  exported: Readonly<Record<string, unknown>>,
  refuse: (fault: string) => AssetTypeError,
): ReadonlySet<AssetType> {
  const one = [exported['default'], exported['assetType']].find(isAssetType);
  const list = exported['assetTypes'] ?? [];
  if (!Array.isArray(list)) throw refuse('its assetTypes are not a list');
  const wrong = list.findIndex((member) => !isAssetType(member));
  if (wrong !== -1) throw refuse(`number ${wrong + 1} of its assetTypes is not an asset type`);
  return new Set([...(one === undefined ? [] : [one]), ...(list as AssetType[])]);
}

/** Only a coarse test: AssetTypes checks every type in full. */
function isAssetType(value: unknown): value is AssetType {
  return typeof value === 'object' && value !== null && typeof (value as Partial<AssetType>).name === 'string';
}
