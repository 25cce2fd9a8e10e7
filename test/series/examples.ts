import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { STORIES } from '../../clients/demo/src/stories.js';
import { ASSETS } from '../support/assets.js';
import type { TestDatabase, TestDatabaseKind } from '../support/databases.js';
import { migrate } from '../support/migrated.js';
import { builtService, ServiceProcess } from '../support/process.js';
import { until } from '../support/until.js';

export const DEMO = [builtService(), '--demo'];

export interface Entry {
  id: string;
  status: string;
  assetType: string;
  dateModified: string;
}

export async function listed(url: string): Promise<Entry[]> {
  const answer = await fetch(`${url}${ASSETS}?limit=1000&opt_fields=status,assetType`);
  return ((await answer.json()) as { data: Entry[] }).data;
}

/** What is told after the line that says that it listens comes a little later. */
export function told(service: ServiceProcess, what: RegExp): Promise<void> {
  return until(() => what.test(service.output()));
}

/** The tests of all examples in an empty registry; two workers where there is a server. */
export function describeExamples(kinds: readonly TestDatabaseKind[]): void {
  describe.each(kinds)('--demo on $name', (kind) => {
    const isServer = kind.name !== 'SQLite';
    let database: TestDatabase;
    let env: Record<string, string>;
    let before: Entry[];

    beforeAll(async () => {
      database = await kind.create();
      env = { DATABASE_URL: database.url, ...(isServer ? { WORKERS: '2' } : {}) };
      await migrate(database.url);
    });
    afterAll(() => database?.drop());

    it(`fills an empty registry${isServer ? ' once, whatever the number of workers' : ''}`, async () => {
      const service = await ServiceProcess.start(env, DEMO);
      await told(service, /Try:/);
      expect(service.output()).toContain(`Examples   ${STORIES} assets`);
      before = await listed(service.url);
      expect(new Set(before.map(({ status }) => status))).toEqual(
        new Set(['pending', 'verification', 'active', 'complete', 'deleted']),
      );
      expect(new Set(before.map(({ assetType }) => assetType))).toEqual(new Set(['basic', 'compound', 'claimRights']));
      expect(before.length).toBeGreaterThan(STORIES * 0.95);
      expect(before.length).toBeLessThan(STORIES);
      expect((await service.kill('SIGTERM')).code).toBe(0);
    });

    it('adds nothing where assets are', async () => {
      const service = await ServiceProcess.start(env, DEMO);
      await told(service, /Try:/);
      expect(service.output()).toContain('Examples   not added: the registry has assets already');
      expect(await listed(service.url)).toEqual(before);
      await service.kill('SIGTERM');
    });
  });
}
