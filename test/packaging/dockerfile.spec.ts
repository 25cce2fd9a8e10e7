import { readFileSync } from 'node:fs';
import dockerignore from '@balena/dockerignore';
import { describe, expect, it } from '@jest/globals';
import { satisfies } from 'compare-versions';
import { validate, ValidationSeverity } from 'dockerfile-utils';
import { parse } from 'yaml';
import { readManifest } from '../../scripts/production-packages.js';
import { readStages, type Stage } from '../dockerfile/stages.js';

const { ERROR } = ValidationSeverity;
/** Every check of the linter that can be turned off is on. */
const STRICT = {
  deprecatedMaintainer: ERROR,
  directiveCasing: ERROR,
  emptyContinuationLine: ERROR,
  instructionCasing: ERROR,
  instructionCmdMultiple: ERROR,
  instructionEntrypointMultiple: ERROR,
  instructionHealthcheckMultiple: ERROR,
  instructionJSONInSingleQuotes: ERROR,
  instructionWorkdirRelative: ERROR,
};
/** Longer than a drain may take, which is 25 s. */
const GRACE = '30s';

const text = readFileSync('Dockerfile', 'utf8');
const stages = readStages(text);
const image = stages.at(-1) as Stage;
const compose = parse(readFileSync('compose.yaml', 'utf8')) as {
  services: Record<string, { ports?: string[]; stop_grace_period?: string; command?: string[]; volumes?: string[] }>;
};

describe('the Dockerfile', () => {
  it('has nothing that the linter objects to', () => {
    expect(validate(text, STRICT)).toEqual([]);
  });

  it('uses the same Node for building and running, pinned by its digest, and allowed by package.json', () => {
    const [base = ''] = stages.map(({ image: name }) => name);
    expect(stages.every(({ image: name }) => name === base)).toBe(true);
    const [, version] = /^node:(\d+\.\d+)-bookworm-slim@sha256:[0-9a-f]{64}$/.exec(base) ?? [];
    expect(satisfies(`${version}.0`, readManifest('.').engines?.node ?? '')).toBe(true);
  });

  it('installs from the lock file, with the settings of the project', () => {
    const [first, second] = (stages[0] as Stage).steps.filter(({ does }) => does !== 'WORKDIR');
    expect(first).toMatchObject({ sources: expect.arrayContaining(['package-lock.json', '.npmrc']) });
    expect(second).toMatchObject({ does: 'RUN', command: expect.stringContaining('npm ci') });
  });

  it('listens on the port that it exposes, reachable from outside', () => {
    expect(image.exposed).toEqual([image.env.PORT]);
    expect(image.env).toMatchObject({ HOST: '0.0.0.0', NODE_ENV: 'production' });
  });

  it('keeps the folder of an SQLite database in a volume', () => {
    const workdir = image.steps.find((step) => step.does === 'WORKDIR');
    expect(image.volumes).toEqual([`${workdir?.path}/data`]);
  });

  it('is not run as root, and stopped by the signal that drains', () => {
    expect(image.user?.uid).toBeGreaterThan(0);
    expect(image.stopSignal).toBe('SIGTERM');
  });
});

describe('compose.yaml', () => {
  it('publishes the ports of the proxy alone', () => {
    const published = Object.entries(compose.services).filter(([, { ports }]) => ports !== undefined);
    expect(published).toEqual([['proxy', expect.objectContaining({ ports: ['80:80', '443:443'] })]]);
  });

  it('gives the proxy the configuration that is tested, with the address of the service', () => {
    const { volumes, command } = compose.services.proxy ?? {};
    expect(volumes).toContain('./docs/nginx/nginx.conf:/etc/nginx/registry.conf:ro');
    const [, from, to] = /sed 's\/(.+?)\/(.+?)\/'/.exec(command?.at(-1) ?? '') ?? [];
    expect(readFileSync('docs/nginx/nginx.conf', 'utf8').split(`server ${from};`)).toHaveLength(2);
    expect(to).toBe(`registry:${image.env.PORT}`);
  });

  it('leaves the service the time to drain', () => {
    expect(compose.services.registry?.stop_grace_period).toBe(GRACE);
  });

  it('migrates by the command line of the image', () => {
    const [program, script] = image.command;
    expect(compose.services.migrate?.command).toEqual([program, script?.replace('main.js', 'cli.js'), 'migrate']);
  });
});

describe('.dockerignore', () => {
  const ignore = dockerignore.default().add(readFileSync('.dockerignore', 'utf8'));

  it.each(['.env', '.git', 'data', 'node_modules', 'dist', '.build', 'sbom.cdx.json', 'service.log'])(
    'leaves %s out',
    (path) => {
      expect(ignore.ignores(path)).toBe(true);
    },
  );
});
