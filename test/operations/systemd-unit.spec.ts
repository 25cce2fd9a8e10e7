import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { readStages, type Stage } from '../dockerfile/stages.js';

const unit = readFileSync('docs/systemd/asset-registry@.service', 'utf8');
const valueOf = (name: string): string | undefined => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1];

describe('the unit for systemd does as the container does', () => {
  const image = readStages(readFileSync('Dockerfile', 'utf8')).at(-1) as Stage;
  const compose = parse(readFileSync('compose.yaml', 'utf8')) as {
    services: { registry: { stop_grace_period: string } };
  };

  it('runs the same command in production, not as root', () => {
    expect(valueOf('ExecStart')).toBe(`/usr/bin/${image.command.join(' ')}`);
    expect(valueOf('Environment')).toBe(`NODE_ENV=${image.env.NODE_ENV}`);
    expect(valueOf('User')).toBe('asset-registry');
  });

  it('stores the search index and the snapshots in writable folders', () => {
    const folder = `/var/lib/${valueOf('StateDirectory')}`;
    expect(unit).toContain(`\nEnvironment=SEARCH_INDEX=${folder}/search.sqlite\n`);
    expect(unit).toContain(`\nEnvironment=SNAPSHOT_FOLDER=${folder}/snapshots\n`);
  });

  it('stops it by the same signal, with the same time to drain', () => {
    expect(valueOf('KillSignal')).toBe(image.stopSignal);
    expect(`${valueOf('TimeoutStopSec')}s`).toBe(compose.services.registry.stop_grace_period);
  });
});

describe('the unit for scheduled backups', () => {
  const backup = readFileSync('docs/systemd/asset-registry-backup.service', 'utf8');
  const lineOf = (name: string, text: string): string | undefined => new RegExp(`^${name}=.*$`, 'm').exec(text)?.[0];

  it('is the registry’s user, with its environment', () => {
    for (const name of ['User', 'Group', 'EnvironmentFile', 'UMask'])
      expect(lineOf(name, backup)).toBe(lineOf(name, unit));
  });

  it('runs the script, into the folder that it is given', () => {
    const folder = /^StateDirectory=(.*)$/m.exec(backup)?.[1];
    const [, installed, script, into] = /^ExecStart=\/bin\/sh (\S+?)\/(docs\S+) (\S+) \d+$/m.exec(backup) ?? [];
    expect([installed, into]).toEqual([valueOf('WorkingDirectory'), `/var/lib/${folder}`]);
    expect(existsSync(script as string)).toBe(true);
  });
});
