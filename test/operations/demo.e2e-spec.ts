import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { EXAMPLE_COUNT } from '../../clients/demo/src/example-histories.js';
import type { Config } from '../../src/platform/config/config.js';
import { VERSION } from '../../src/platform/config/version.js';
import { assertDemoIsAllowed, importExamples } from '../../src/demo.js';
import { ASSETS } from '../support/assets.js';
import { command } from '../support/commands.js';
import { databases, type TestDatabase, type TestDatabaseKind } from '../support/databases.js';
import { migrate } from '../support/migrated.js';
import { builtService, type Ended, runService, ServiceProcess } from '../support/process.js';
import { basic, testConfig } from '../support/registry.js';
import { runSql } from '../support/rows.js';
import { until } from '../support/until.js';

const [sqlite] = databases as [TestDatabaseKind];

const DEMO = [builtService(), '--demo'];

interface Entry {
  id: string;
  status: string;
  assetType: string;
}

interface State {
  dateModified: string;
  changed?: string[];
}

interface Priced {
  value: { amount: number };
}

async function dataOf<T>(url: string): Promise<T> {
  return ((await (await fetch(url)).json()) as { data: T }).data;
}

function listed(url: string): Promise<Entry[]> {
  return dataOf(`${url}${ASSETS}?limit=1000&opt_fields=status,assetType`);
}

/** Waits for output, because some lines follow the one that the service listens. */
function printed(service: ServiceProcess, what: RegExp): Promise<void> {
  return until(() => what.test(service.output()));
}

async function refusal(env: Record<string, string>, words: readonly string[] = ['--demo']): Promise<Ended> {
  return runService({ DATABASE_URL: 'sqlite:/nonexistent/x', ...env }, builtService(), words);
}

describe('a registry on SQLite that begins empty', () => {
  let database: TestDatabase;
  let env: Record<string, string>;
  beforeAll(async () => {
    database = await sqlite.create();
    env = { DATABASE_URL: database.url };
  });
  afterAll(() => database?.drop());

  it('is filled by --demo', async () => {
    const service = await ServiceProcess.start(env, DEMO);
    await printed(service, /Try:/);
    expect(service.output()).toContain(`Examples   ${EXAMPLE_COUNT} assets`);
    const entries = await listed(service.url);
    expect(new Set(entries.map(({ status }) => status))).toEqual(
      new Set(['pending', 'verification', 'active', 'complete', 'deleted']),
    );
    expect(new Set(entries.map(({ assetType }) => assetType))).toEqual(new Set(['basic', 'compound', 'claimRights']));
    expect(entries.length).toBeGreaterThan(EXAMPLE_COUNT * 0.95);
    expect(entries.length).toBeLessThan(EXAMPLE_COUNT);
    expect((await service.kill('SIGTERM')).code).toBe(0);
  });

  it('has the histories of its examples', async () => {
    const service = await ServiceProcess.start(env);
    const most = { id: '', states: [] as State[] };
    for (const { id } of (await listed(service.url)).slice(0, 60)) {
      const states = await dataOf<State[]>(`${service.url}${ASSETS}/${id}/history`);
      if (states.length > most.states.length) Object.assign(most, { id, states });
    }
    const priced = most.states.filter(({ changed }) => changed?.includes('value'));
    const pastAmount = async ({ dateModified }: State): Promise<number> => {
      const at = encodeURIComponent(dateModified);
      return (await dataOf<Priced>(`${service.url}${ASSETS}/${most.id}?at=${at}`)).value.amount;
    };
    const amounts = await Promise.all(priced.map(pastAmount));
    expect(amounts.length).toBeGreaterThan(8);
    expect(amounts).toEqual(amounts.toSorted((one, other) => other - one));
    await service.kill('SIGTERM');
  });

  it('accepts changes with the demo keys', async () => {
    const service = await ServiceProcess.start(env);
    const { id } = (await listed(service.url)).find(({ status }) => status === 'active') as Entry;
    const answer = await fetch(`${service.url}${ASSETS}/${id}`, {
      method: 'PATCH',
      headers: { Authorization: basic('concierge'), 'Content-Type': 'application/json' },
      body: '{"data":{"status":"complete"}}',
    });
    expect(answer.status).toBe(200);
    await service.kill('SIGTERM');
  });

  it('gets no examples if it has assets', async () => {
    const service = await ServiceProcess.start(env);
    await printed(service, /Try:/);
    expect(service.output()).not.toContain('Examples');
    await service.kill('SIGTERM');
  });
});

describe.each(databases)('--demo on $name', (kind) => {
  let database: TestDatabase;
  beforeEach(async () => (database = await kind.create()));
  afterEach(() => database.drop());

  it('fills a registry that was migrated, and no other that has assets', async () => {
    await migrate(database.url);
    const config = testConfig(database.url);
    expect(await importExamples(config)).toContain(`${EXAMPLE_COUNT} assets`);
    expect(await importExamples(config)).toBe('not added: the registry has assets already');
  });

  it('adds nothing if there are other accounts', async () => {
    await migrate(database.url);
    await command(['key', 'create', '--account', 'acme', '--role', 'broker'], { DATABASE_URL: database.url });
    await expect(importExamples(testConfig(database.url))).rejects.toThrow('this registry has others');
  });

  it('explains what to do after an interruption', async () => {
    await migrate(database.url);
    await runSql({ databaseUrl: database.url }, "UPDATE feed_clock SET copying = 'import' WHERE id = 1");
    await expect(importExamples(testConfig(database.url))).rejects.toThrow('start again with an empty database');
  });
});

describe('--demo on a server', () => {
  it('says only that the database is away, if it is', async () => {
    const added = importExamples(testConfig('mysql://registry:secret@127.0.0.1:9/registry'));
    await expect(added).rejects.toThrow(/^No examples were added: The database of DATABASE_URL: [^\n]*$/);
  });

  it('explains what to do with an unmigrated database', async () => {
    const database = await (databases[1] as TestDatabaseKind).create();
    await expect(importExamples(testConfig(database.url))).rejects.toThrow('registry migrate');
    await database.drop();
  });
});

describe('--demo', () => {
  it('that npm consumed, because "--" was forgotten, still works', async () => {
    const { code, output } = await refusal({ NODE_ENV: 'production', npm_config_demo: 'true' }, []);
    expect([code, output]).toEqual([1, expect.stringMatching(/^--demo is refused with NODE_ENV=production.*\n$/)]);
  });

  it.each([
    ['in production', { production: true }, /--demo is refused with NODE_ENV=production/],
    ['without demo keys', { demoKeys: false }, /DEMO_KEYS is off/],
    ['in cluster mode', { clusterServerId: 'one' }, /not for cluster mode/],
  ])('is refused %s', (_, part, sentence) => {
    const sound = { production: false, demoKeys: true, clusterServerId: undefined } as Config;
    expect(() => assertDemoIsAllowed(sound)).not.toThrow();
    expect(() => assertDemoIsAllowed({ ...sound, ...part })).toThrow(sentence);
  });
});

describe('the words of the service on SQLite', () => {
  it('others are refused, and the usage is printed', async () => {
    const { code, output } = await refusal({}, ['--dmeo']);
    expect(code).toBe(1);
    expect(output).toMatch(/^error: .*\n[^]*Usage: asset-registry \[options\][^]*--demo/);
  });

  it('--version prints the version, and nothing is started', async () => {
    expect(await refusal({}, ['--version'])).toEqual({ code: 0, output: `${VERSION}\n` });
  });
});
