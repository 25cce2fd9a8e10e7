import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { satisfies } from 'compare-versions';

/*
 * Imports npm packages of teams at start; for the reasons see docs/decisions/0026.
 */

/** The parts of a package.json that are used here. */
interface Manifest {
  version?: string;
  peerDependencies?: Readonly<Record<string, string>>;
}

export const OWN_NAME = 'asset-registry';
const require = createRequire(import.meta.url);

/**
 * Imports a package, resolved from the registry's folder.
 * @param shared modules of which the package must use the registry's copy, each with the file of that copy
 * @param refuse makes the error for a package that cannot be used
 * @returns its exports
 */
export async function importPackage(
  name: string,
  shared: ReadonlyMap<string, string>,
  refuse: (fault: string) => Error,
): Promise<Record<string, unknown>> {
  const folder = findFolder(name);
  if (folder === undefined) throw refuse(`it is not installed: npm install --no-save ${name}`);
  const faults = [...shared].map(([module, file]) => faultOfCopy(folder, module, file));
  const fault = [faultOfPeers(readManifest(folder)), ...faults].find((text) => text !== undefined);
  if (fault !== undefined) throw refuse(fault);
  try {
    return (await import(name)) as Record<string, unknown>;
  } catch (error) {
    throw refuse(`it cannot be loaded: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Finds the folder without resolving an export, because the package may export anything. */
function findFolder(name: string): string | undefined {
  const folders = (require.resolve.paths(name) ?? []).map((path) => join(path, name));
  return folders.find((folder) => existsSync(join(folder, 'package.json')));
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}

/** A package that names no versions of the registry is accepted. */
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
    // Not a version range.
    return false;
  }
}

/** Metadata and classes of another copy of a module would be invisible to this process. */
function faultOfCopy(folder: string, module: string, own: string): string | undefined {
  const packageName = module.startsWith(`${OWN_NAME}/`) ? OWN_NAME : module;
  try {
    const found = createRequire(join(folder, 'package.json')).resolve(module);
    return found === own ? undefined : `it finds another copy of ${packageName}: ${found}`;
  } catch {
    const remedy = `name ${packageName} in its peerDependencies, and install it again`;
    return `it does not find ${module} from where it is: ${remedy}`;
  }
}
