import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What package-lock.json says of one package. Its key there is the path of its folder. */
interface LockedPackage {
  version: string;
  integrity?: string;
  /** Where it comes from; empty for the link of the project to itself. */
  resolved?: string;
  license?: string;
  dependencies?: Record<string, string>;
  dev?: boolean;
  devOptional?: boolean;
  optional?: boolean;
  link?: boolean;
}

export interface LockFile {
  name: string;
  lockfileVersion: number;
  packages: Record<string, LockedPackage>;
}

/** The members of a package.json that are read here. */
export interface Manifest {
  license?: string;
  /** How licenses were written before SPDX; some packages still do. */
  licenses?: { type: string }[];
  engines?: Record<string, string>;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  scripts?: Record<string, string>;
}

/** @param folder of the project */
export function readLock(folder: string): LockFile {
  return readJson(join(folder, 'package-lock.json')) as LockFile;
}

/** @param folder of the project or of one of its packages */
export function readManifest(folder: string): Manifest {
  return readJson(join(folder, 'package.json')) as Manifest;
}

/** The packages by their paths, without the project itself, which is linked among them. */
export function lockedPackages({ packages }: LockFile): [path: string, locked: LockedPackage][] {
  return Object.entries(packages).filter(([path, { resolved }]) => path !== '' && resolved !== '');
}

/** Packages for development of which the build copies files into dist/ (`copy-swagger-ui.cjs`), so that they are a part of what runs. */
export const COPIED_PACKAGES: readonly string[] = ['swagger-ui-dist'];

/**
 * Those that a production install has, and those that the build copies from: without the others for development, and without the newer Node for
 * npm's scripts, the optional one.
 */
export function productionPackages(lock: LockFile): [path: string, locked: LockedPackage][] {
  // npm marks the folder that a link leads to, and not the link.
  const marked = ({ link, resolved, ...locked }: LockedPackage): LockedPackage =>
    (link ? lock.packages[resolved ?? ''] : undefined) ?? locked;
  return lockedPackages(lock).filter(([path, locked]) => {
    if (COPIED_PACKAGES.includes(path.replace(/^node_modules\//, ''))) return true;
    const { dev, devOptional, optional } = marked(locked);
    return !dev && !devOptional && !optional;
  });
}

/** @returns an SPDX expression as the package declares it; undefined where it declares none */
export function licenseOf({ license, licenses }: Manifest): string | undefined {
  if (license !== undefined || licenses === undefined) return license;
  // Several in the old form meant a choice.
  return licenses.map(({ type }) => type).join(' OR ');
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}
