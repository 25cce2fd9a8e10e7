import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import spdxSatisfies from 'spdx-satisfies';
import { type BillOfMaterials, billOfMaterials } from '../../scripts/bill-of-materials.js';
import {
  licenseOf,
  lockedPackages,
  productionPackages,
  readLock,
  readManifest,
} from '../../scripts/production-packages.js';

/** Licenses that ask for no more than their text and names. A new one is read by a person before it is added. */
const ALLOWED = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'PSF-2.0',
];

const lock = readLock('.');
const project = readManifest('.');
/** Packages of this repository: the lock file names their folders, or the packed file. */
const OURS =
  /^(node_modules\/)?(clients\/|scripts\/|asset-registry-(client|tlog)$|registry-sync$|newer-node$|node-of-scripts$)/;
const locked = lockedPackages(lock).filter(([path]) => !OURS.test(path));
const production = productionPackages(lock);

/** @returns why this license cannot be taken; undefined when it can */
function refusalOf(license: string | undefined): string | undefined {
  if (license === undefined) return 'declares no license';
  try {
    return spdxSatisfies(license, ALLOWED) ? undefined : `has the license ${license}`;
  } catch {
    return `has a license that is no SPDX expression: ${license}`;
  }
}

describe('the licenses of production dependencies', () => {
  it('are all allowed', () => {
    const refused = production.flatMap(([path]) => {
      const refusal = refusalOf(licenseOf(readManifest(path)));
      return refusal === undefined ? [] : [`${path} ${refusal}`];
    });
    expect(refused).toEqual([]);
  });

  it.each([
    ['(MIT OR WTFPL)', undefined],
    ['(MIT AND GPL-3.0-only)', 'has the license (MIT AND GPL-3.0-only)'],
    ['SEE LICENSE IN FILE', 'has a license that is no SPDX expression: SEE LICENSE IN FILE'],
    [undefined, 'declares no license'],
  ])('%s is judged as the expression that it is: %s', (license, refusal) => {
    expect(refusalOf(license)).toBe(refusal);
  });
});

it.each(['tlog', 'typescript', 'sync'])(
  'the package of clients/%s brings the text of the license, as that asks for',
  (client) => {
    expect(readFileSync(`clients/${client}/LICENSE`, 'utf8')).toBe(readFileSync('LICENSE', 'utf8'));
  },
);

describe('the lock file', () => {
  it('has a digest of every package', () => {
    expect(lock.lockfileVersion).toBe(3);
    expect(locked.filter(([, { integrity = '' }]) => !integrity.startsWith('sha512-'))).toEqual([]);
  });

  it('installs every package from the npm registry, and none from git or another host', () => {
    const elsewhere = locked.filter(
      ([, { resolved }]) => resolved !== undefined && !resolved.startsWith('https://registry.npmjs.org/'),
    );
    expect(elsewhere).toEqual([]);
  });
});

describe('the link of the project to itself', () => {
  it('is there, so that a package of another repository imports this one', () => {
    expect(lock.packages[`node_modules/${lock.name}`]).toEqual({ resolved: '', link: true });
    expect(realpathSync(`node_modules/${lock.name}`)).toBe(realpathSync('.'));
  });
});

describe('scripts at install', () => {
  it('run for no package, with any version of npm', () => {
    expect(readFileSync('.npmrc', 'utf8')).toMatch(/^ignore-scripts=true$/m);
    expect(execFileSync('npm', ['config', 'get', 'ignore-scripts'], { encoding: 'utf8' })).toBe('true\n');
  });

  // npm would skip pre and post scripts too.
  it('are not used by the project, as npm would skip them', () => {
    const names = Object.keys(project.scripts ?? {});
    const around = names.flatMap((name) => [`pre${name}`, `post${name}`]);
    expect(names.filter((name) => around.includes(name) || name === 'prepare')).toEqual([]);
  });

  it('have not replaced the binary that better-sqlite3 ships', () => {
    expect(existsSync('node_modules/embedded-sqlite/prebuilds')).toBe(true);
    expect(existsSync('node_modules/embedded-sqlite/build')).toBe(false);
  });
});

describe('npm run sbom', () => {
  it('lists every production dependency that npm knows of but the optional one, and Swagger UI, with version, license and digest', () => {
    const query = '.prod:not(.optional), #swagger-ui-dist';
    const inTree = execFileSync('npm', ['query', query], { encoding: 'utf8' });
    const installed = JSON.parse(inTree) as { location: string; name: string; version: string }[];
    // The project itself is there as well, and once more by its link.
    // TypeScript, for development, is also an optional peer of a dependency.
    const ofOthers = installed.filter(({ location }) => location !== '' && !lock.packages[location]?.devOptional);
    const expected = ofOthers.map(({ location, name, version }) => {
      const purl = `pkg:npm/${name.replace(/^@/, '%40')}@${version}`;
      return { purl, license: licenseOf(readManifest(location)), digests: OURS.test(location) ? undefined : 1 };
    });
    const { bomFormat, components } = JSON.parse(billOfMaterials('.')) as BillOfMaterials;
    const listed = components.map(({ purl, licenses, hashes }) => ({
      purl,
      license: licenses?.[0]?.expression ?? licenses?.[0]?.license?.id,
      digests: hashes?.length,
    }));
    expect(bomFormat).toBe('CycloneDX');
    expect(sorted(listed)).toEqual(sorted(uniqueByPurl(expected)));
  });
});

/** A version that is installed in two places is one component. */
function uniqueByPurl<T extends { purl: string }>(components: T[]): T[] {
  return [...new Map(components.map((component) => [component.purl, component])).values()];
}

function sorted<T extends { purl: string }>(components: T[]): T[] {
  return components.toSorted((a, b) => (a.purl < b.purl ? -1 : 1));
}
