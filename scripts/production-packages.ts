import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A package in package-lock.json, whose key is the path of its folder. */
interface LockedPackage {
  version: string;
  integrity?: string;
  /** Its origin; empty for the project's link to itself. */
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

/** The packages by path, without the project itself, to which node_modules links. */
export function lockedPackages({ packages }: LockFile): [path: string, locked: LockedPackage][] {
  return Object.entries(packages).filter(([path, { resolved }]) => path !== '' && resolved !== '');
}

/** Development packages whose files the build copies into dist/ (`copy-swagger-ui.cjs`), so that they are part of the running service. */
export const COPIED_PACKAGES: readonly string[] = ['swagger-ui-dist'];

/**
 * The packages of a production install, and those whose files the build copies: without the other development packages, and without the optional
 * newer Node for npm scripts.
 */
export function productionPackages(lock: LockFile): [path: string, locked: LockedPackage][] {
  // npm sets the flag on the linked folder, and not on the link.
  const marked = ({ link, resolved, ...locked }: LockedPackage): LockedPackage =>
    (link ? lock.packages[resolved ?? ''] : undefined) ?? locked;
  return lockedPackages(lock).filter(([path, locked]) => {
    if (COPIED_PACKAGES.includes(path.replace(/^node_modules\//, ''))) return true;
    const { dev, devOptional, optional } = marked(locked);
    return !dev && !devOptional && !optional;
  });
}

/** @returns the SPDX expression that the package declares; undefined if it declares none */
export function licenseOf({ license, licenses }: Manifest): string | undefined {
  if (license !== undefined || licenses === undefined) return license;
  // Several licenses in the old form were alternatives.
  return licenses.map(({ type }) => type).join(' OR ');
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}
