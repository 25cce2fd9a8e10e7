import { fileURLToPath } from 'node:url';
import type { AssetType } from './asset-type.js';
import { AssetTypeError, AssetTypes } from './asset-types.js';
import * as builtIn from './installed.js';
import { importPackage, OWN_NAME } from './shared-packages.js';

/** With another copy of the vocabulary the fields of a type would be described where nobody looks. */
const SHARED = new Map([[`${OWN_NAME}/asset-types`, fileURLToPath(new URL('../asset-types.js', import.meta.url))]]);

/**
 * The built-in types, and those of packages.
 * @param packages names of npm packages that can be found from the registry's own folder
 * @throws AssetTypeError for the first package or type that cannot be used
 */
export async function loadAssetTypes(packages: readonly string[]): Promise<AssetTypes> {
  return new AssetTypes(Object.values(builtIn), await loadPackagedTypes(packages));
}

/**
 * Loads asset types that live in npm packages of other repositories.
 * @returns the types that each package exports, with the package's name
 * @throws AssetTypeError with a sentence that names the first package that cannot be used, and why
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

/** One as `default` or `assetType`, and those of the list `assetTypes`, which may name that one, too. */
function exportedTypes(
  exported: Readonly<Record<string, unknown>>,
  refuse: (fault: string) => AssetTypeError,
): ReadonlySet<AssetType> {
  const one = [exported['default'], exported['assetType']].find(isAssetType);
  const list = exported['assetTypes'] ?? [];
  if (!Array.isArray(list)) throw refuse('its assetTypes are no list');
  const wrong = list.findIndex((member) => !isAssetType(member));
  if (wrong !== -1) throw refuse(`number ${wrong + 1} of its assetTypes is no asset type`);
  return new Set([...(one === undefined ? [] : [one]), ...(list as AssetType[])]);
}

/** What is wrong with it otherwise is found out as with every type. */
function isAssetType(value: unknown): value is AssetType {
  return typeof value === 'object' && value !== null && typeof (value as Partial<AssetType>).name === 'string';
}
