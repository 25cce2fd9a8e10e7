import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  COPIED_PACKAGES,
  licenseOf,
  type LockFile,
  type Manifest,
  productionPackages,
  readLock,
  readManifest,
} from './production-packages.ts';

const NPM_SBOM = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only'];
const NOT_PRODUCTION = ['devDependencies', 'optionalDependencies'];
const LARGEST_BYTES = 64 * 1024 * 1024;

/** The members of a CycloneDX document that are read here. */
export interface BillOfMaterials {
  bomFormat: string;
  components: {
    'bom-ref': string;
    purl: string;
    licenses?: { expression?: string; license?: { id: string } }[];
    hashes?: unknown[];
  }[];
  dependencies: { ref: string }[];
}

/**
 * The production dependencies as a CycloneDX document in JSON, written by npm.
 * `npm sbom --omit dev` also omits packages that a development package needs too, which are most of ours. So npm gets a temporary project without
 * development packages.
 * @param folder of the project, after `npm ci`
 */
export function billOfMaterials(folder: string): string {
  const lock = readLock(folder);
  const temporary = mkdtempSync(join(tmpdir(), 'registry-sbom-'));
  try {
    // npm names a project after its folder.
    const project = join(temporary, lock.name);
    mkdirSync(project);
    writeFileSync(join(project, 'package.json'), JSON.stringify(productionManifest(readManifest(folder))));
    writeFileSync(join(project, 'package-lock.json'), JSON.stringify(productionLock(lock, folder)));
    return JSON.stringify(eachOnce(runNpmSbom(project)), null, 2);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

function runNpmSbom(cwd: string): BillOfMaterials {
  const stdio = ['ignore' as const, 'pipe' as const, 'pipe' as const];
  const document = execFileSync('npm', NPM_SBOM, { cwd, encoding: 'utf8', maxBuffer: LARGEST_BYTES, stdio });
  return JSON.parse(document) as BillOfMaterials;
}

/** npm 10 lists a version twice if it is installed in two places, which CycloneDX forbids. */
function eachOnce({ components, dependencies, ...rest }: BillOfMaterials): BillOfMaterials {
  return {
    ...rest,
    components: [...new Map(components.map((component) => [component['bom-ref'], component])).values()],
    dependencies: [...new Map(dependencies.map((dependency) => [dependency.ref, dependency])).values()],
  };
}

function productionLock(lock: LockFile, folder: string): LockFile {
  const packages = productionPackages(lock).map(([path, locked]) => {
    const license = locked.license ?? licenseOf(readManifest(join(folder, path)));
    const { dependencies, ...rest } = locked;
    // A development package whose files are copied does not bring its dependencies.
    const needs = locked.dev ? {} : { dependencies };
    return [path, { ...rest, ...needs, ...(license !== undefined && { license }), dev: undefined }];
  });
  const root = productionManifest(lock.packages[''] ?? {});
  return { ...lock, packages: Object.fromEntries([['', root], ...packages]) as LockFile['packages'] };
}

/** A manifest, or its copy in the lock file, without optional packages, and with only those development packages whose files are copied. */
function productionManifest(manifest: Manifest): Manifest {
  const members = Object.entries(manifest).filter(([member]) => !NOT_PRODUCTION.includes(member));
  const copied = Object.entries(manifest.devDependencies ?? {}).filter(([name]) => COPIED_PACKAGES.includes(name));
  return { ...Object.fromEntries(members), dependencies: { ...manifest.dependencies, ...Object.fromEntries(copied) } };
}
