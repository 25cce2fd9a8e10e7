import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { Database } from '../../src/database/database.js';
import { createDataSource, databaseParts, dataSourceOptions } from '../../src/database/connections/data-sources.js';
import { appendToLog, saveCheckpoint } from '../../src/database/repositories/log-append.js';
import { Lease } from '../../src/database/connections/lease.js';
import { SqlLedgerStore } from '../../src/feed/writing/sql-ledger-store.js';
import { ASSETS, assetBody } from '../support/assets.js';
import { command } from '../support/commands.js';
import { databases, type TestDatabase } from '../support/databases.js';
import { renewLeasesQuickly } from '../support/quick-leases.js';
import { readiness } from '../support/readiness.js';
import { TestRegistry } from '../support/registry.js';
import { until } from '../support/until.js';

const servers = databases.filter(({ name }) => name !== 'SQLite');
const HOURS_25_US = 25 * 3_600 * 1_000_000;

/** The statements of "Users of the database" before the migration, and those of the file that it names for the time after it. */
function documentedStatements(): [before: string[], after: string[]] {
  const [, section = ''] = readFileSync('docs/operations/database.md', 'utf8').split('\n## Users of the database\n');
  const [, block = ''] = /```sql\n(.*?)```/s.exec(section) ?? [];
  const grants = readFileSync('docs/mysql/grants.sql', 'utf8').replaceAll(/^-- .*\n/gm, '');
  const [before = [], after = []] = [block, grants].map((text) =>
    text
      .trim()
      .split(/;\s*/)
      .filter((line) => line !== ''),
  );
  return [before.filter((line) => !line.startsWith('CREATE DATABASE')), after];
}

/** GRANT INSERT, UPDATE ON … as one statement for each right. */
function singleGrants(statements: string[], user: string): string[] {
  return statements.flatMap((statement) => {
    const [, rights = '', rest = ''] = /^GRANT (.*?) (ON .*)$/s.exec(statement) ?? [];
    return rest.endsWith(` TO ${user}`) ? rights.split(', ').map((right) => `GRANT ${right} ${rest}`) : [];
  });
}

const [before, after] = documentedStatements();

describe.each(servers)('the users of docs/operations/database.md on $name', (kind) => {
  const suffix = randomBytes(4).toString('hex');
  const password = randomBytes(12).toString('hex');
  let database: TestDatabase;
  let administrator: Connection;
  let service: TestRegistry;
  let barrier: Database;
  let store: SqlLedgerStore;
  let key: string;
  let otherKey: string;
  let made = 0;
  const closings: (() => Promise<unknown>)[] = [];

  const run = async (statements: string[]): Promise<void> => {
    const name = new URL(database.url).pathname.slice(1);
    for (const statement of statements) {
      const own = statement
        .replaceAll('registry.', `${name}.`)
        .replace(/\b(registry(?:_schema|_keys)?)( IDENTIFIED|$)/, `$1_${suffix}$2`);
      await administrator.query(own.replace(`'...'`, `'${password}'`));
    }
  };
  const urlOf = (user: string): string => {
    const url = new URL(database.url);
    [url.username, url.password] = [`${user}_${suffix}`, password];
    return url.href;
  };
  const asKeys = (...words: string[]): Promise<{ code: number | null; output: string }> =>
    command(words, { DATABASE_URL: urlOf('registry_keys') });

  beforeAll(async () => {
    database = await kind.create();
    administrator = await createConnection(database.url);
    await run(before);
  });
  afterAll(async () => {
    for (const close of closings.toReversed()) await close();
    const users = before.flatMap((statement) => /^CREATE USER (\w+)/.exec(statement)?.[1] ?? []);
    for (const user of users) await administrator.query(`DROP USER ${user}_${suffix}`);
    await administrator.end();
    await database.drop();
  });

  async function barrierCommits(): Promise<number> {
    const [[row]] = await administrator.query<RowDataPacket[]>('SELECT n FROM feed_barrier');
    return Number(row?.['n']);
  }

  /** As at the begin and the end of a service. */
  async function leaseOnce(): Promise<void> {
    const session = await barrier.laneSession();
    try {
      const lease = new Lease(
        barrier.dialect,
        (work) => work(session),
        (error) => barrier.judgeWrite(error),
        () => undefined,
      );
      await lease.acquire();
      await lease.end();
      await session.execute('COMMIT');
    } finally {
      session.destroy();
    }
  }

  /** As the service does once an hour. */
  async function noteTime(): Promise<void> {
    const transaction = await store.begin();
    try {
      await transaction.noteTime(Date.now() * 1_000);
      await transaction.commit();
    } catch (error) {
      await transaction.rollback();
      throw error;
    }
  }

  /** As where there is a key. */
  async function extendLog(): Promise<void> {
    const [[head]] = await administrator.query<RowDataPacket[]>('SELECT size FROM log_head');
    const size = Number(head?.['size']);
    const place = { place: size, asset: '0'.repeat(32), createdUs: size, modifiedUs: size, commitment: null };
    const entries = [{ ...place, opening: '{}' }];
    const nodes = [{ level: 1, place: size, hash: '' }];
    const { dialect } = barrier;
    const transaction = await store.begin();
    try {
      await transaction.run((session) =>
        appendToLog(session, dialect, { size, entries, nodes, untilUs: size, readUs: size }),
      );
      await transaction.run((session) => saveCheckpoint(session, dialect, size + 1, () => ''));
      await transaction.commit();
    } catch (error) {
      await transaction.rollback();
      throw error;
    }
  }

  /** Uses everything that the service needs of its database. @returns the outcome of each request */
  async function useService(): Promise<unknown[]> {
    const headers = { 'Idempotency-Key': `key-${made++}` };
    await administrator.query('UPDATE api_key SET used_day = NULL');
    const post = (body: unknown): ReturnType<TestRegistry['send']> =>
      service.send(ASSETS, { method: 'POST', key, headers, body });
    const created = await post(assetBody());
    const again = await post(assetBody());
    await administrator.query(`UPDATE receipt SET created_us = created_us - ${HOURS_25_US}`);
    const nextDay = await post(assetBody({ title: 'another day' }));
    const { access, data } = created.json;
    const published = await service.send(`${ASSETS}/${data?.id}`, {
      method: 'PATCH',
      key,
      headers: { 'X-Access-Token': access?.token ?? 'none' },
      body: { data: { status: 'pending' } },
    });
    const act = (path: string, by: string, sent: object): ReturnType<TestRegistry['send']> =>
      service.send(`${ASSETS}/${data?.id}/${path}`, { method: 'POST', key: by, body: { access: sent } });
    await act('transfer', key, access ?? {});
    const asked = await act('transfer', key, access ?? {});
    const taken = await act('ownership', otherKey, asked.json.access ?? {});
    const listed = await service.send(ASSETS);
    const digest = await service.send(`${ASSETS}/digest`);
    const snapshot = await service.send(`${ASSETS}/snapshot.jsonl.gz`);
    const commits = await barrierCommits();
    await barrier.flush().catch(() => undefined);
    // A commit of nothing would flush nothing.
    const flushed = (await barrierCommits()) > commits ? 'flushed' : 'not flushed';
    const leased = await leaseOnce().then(
      () => 'leased',
      () => 'not leased',
    );
    const noted = await noteTime().then(
      () => 'noted',
      () => 'not noted',
    );
    const logged = await extendLog().then(
      () => 'logged',
      () => 'not logged',
    );
    const [[used]] = await administrator.query<RowDataPacket[]>(
      "SELECT COUNT(used_day) AS n FROM api_key WHERE account_id = (SELECT id FROM account WHERE name = 'acme')",
    );
    return [created, again, nextDay, published, asked, taken, listed, digest, snapshot]
      .map(({ status }): unknown => status)
      .concat(flushed, leased, noted, logged, used?.['n']);
  }
  const ALL_WELL = [201, 201, 201, 200, 201, 200, 200, 200, 200, 'flushed', 'leased', 'noted', 'logged', 1];

  it('registry_schema may migrate', async () => {
    expect(await command(['migrate'], { DATABASE_URL: urlOf('registry_schema') })).toMatchObject({ code: 0 });
    await run(after);
  });

  it('registry_keys may do all that is done with keys and accounts', async () => {
    const created = await asKeys('key', 'create', '--account', 'acme', '--role', 'broker');
    const id = /Key (\w+)/.exec(created.output)?.[1] ?? '';
    const rotated = await asKeys('key', 'rotate', id);
    key = /ark_\S+/.exec(rotated.output)?.[0] ?? '';
    const other = await asKeys('key', 'create', '--account', 'other', '--role', 'broker');
    otherKey = /ark_\S+/.exec(other.output)?.[0] ?? '';
    const others = [
      ['key', 'revoke', id],
      ['key', 'list'],
      ['account', 'disable', 'acme'],
      ['account', 'enable', 'acme'],
      ['account', 'display-name', 'acme', 'ТОВ «Акме»'],
      ['account', 'list'],
      ['clock'],
    ];
    for (const words of others) expect(await asKeys(...words)).toMatchObject({ code: 0 });
  });

  // Before the service begins, which would see the clock ahead if it looked just then, and write nothing for a while.
  it('registry_keys may accept a clock', async () => {
    await administrator.query('UPDATE feed_clock SET last_us = ?', [Date.now() * 1_000 + HOURS_25_US]);
    try {
      expect(await asKeys('clock', 'accept', '--yes')).toMatchObject({ code: 0 });
    } finally {
      await administrator.query('UPDATE clock_witness SET lead_us = 0');
      await administrator.query('UPDATE feed_clock SET last_us = 0');
    }
  });

  it('registry replaces nothing: a restore says which right lacks, and leaves a database that is served', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'registry-users-'));
    const [file, asService] = [join(folder, 'backup.sqlite'), { DATABASE_URL: urlOf('registry') }];
    expect(await command(['backup', file], asService)).toMatchObject({ code: 0 });
    const name = new URL(database.url).pathname.slice(1);
    expect(await command(['restore', file, '--replace', '--yes', name], asService)).toMatchObject({
      code: 1,
      output: expect.stringMatching(/DROP command denied .*: see "Users of the database" in the documentation/),
    });
    expect(await command(['key', 'list'], asService)).toMatchObject({ code: 0 });
    await rm(folder, { recursive: true });
  });

  it('registry may do all that the service does', async () => {
    const url = urlOf('registry');
    renewLeasesQuickly();
    service = await TestRegistry.startOn(url, { NODE_ENV: 'production', RATE_LIMIT: 'off' });
    closings.push(() => service.close());
    const writer = createDataSource(await dataSourceOptions(url, 'writer'));
    const reader = createDataSource(await dataSourceOptions(url, 'reader'));
    barrier = new Database(writer, reader, databaseParts(url));
    await barrier.open();
    store = new SqlLedgerStore(barrier);
    closings.push(
      () => writer.destroy(),
      () => reader.destroy(),
      () => barrier.onApplicationShutdown(),
    );
    expect(await useService()).toEqual(ALL_WELL);
  });

  // Neither its connections nor any lock of the service can be seen by the user of the schema.
  it('registry_schema gets an error about the running service, and replaces nothing', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'registry-users-'));
    const [file, other] = [join(folder, 'backup.sqlite'), join(folder, 'other.sqlite')];
    expect(await command(['backup', file], { DATABASE_URL: urlOf('registry') })).toMatchObject({ code: 0 });
    const name = new URL(database.url).pathname.slice(1);
    const asSchema = { DATABASE_URL: urlOf('registry_schema') };
    const refused = {
      code: 1,
      output: expect.stringMatching(
        new RegExp(`served by process ${process.pid} on ${hostname()} since 20.*: stop the`),
      ),
    };
    expect(await command(['restore', file, '--replace', '--yes', name], asSchema)).toMatchObject(refused);
    expect(await command(['db', 'move', asSchema.DATABASE_URL, `sqlite:${other}`], {})).toMatchObject(refused);
    expect(await command(['db', 'move', `sqlite:${file}`, asSchema.DATABASE_URL], {})).toMatchObject(refused);
    expect(await useService()).toEqual(ALL_WELL);
    await rm(folder, { recursive: true });
  });

  it('registry_keys may give an asset a new owner token, and a transfer code', async () => {
    const [asset] = (await service.send(ASSETS)).json.data;
    expect(await asKeys('token', 'reissue', asset.id)).toMatchObject({ code: 0 });
    for (let i = 0; i < 2; i++) expect(await asKeys('token', 'transfer', asset.id)).toMatchObject({ code: 0 });
  });

  // A right on the whole database counts for connections that begin after it was given or taken.
  it('registry needs SELECT to start', async () => {
    await run(['REVOKE SELECT ON registry.* FROM registry']);
    await expect(TestRegistry.startOn(urlOf('registry'))).rejects.toThrow(/denied/);
    await run(['GRANT SELECT ON registry.* TO registry']);
  });

  it.each(singleGrants(after, 'registry').filter((grant) => !grant.includes('registry.*')))(
    'registry needs %s',
    async (grant) => {
      await run([grant.replace('GRANT', 'REVOKE').replace(' TO ', ' FROM ')]);
      try {
        const answers = await useService();
        expect(answers).not.toEqual(ALL_WELL);
        expect(answers).not.toContain(500);
      } finally {
        await run([grant]);
      }
      // For a second the changes are kept away that would meet the same.
      await until(async () => isDeepStrictEqual(await useService(), ALL_WELL));
    },
  );

  it('an error names the missing privilege', async () => {
    await run(['REVOKE INSERT ON registry.audit FROM registry']);
    try {
      await until(async () => {
        expect((await service.send(ASSETS, { method: 'POST', key, body: assetBody() })).status).toBe(503);
        const { status, json } = await readiness(service);
        return status === 200 && /its user lacks a right \(INSERT on audit\)/.test(json.parts.writes);
      });
    } finally {
      await run(['GRANT INSERT ON registry.audit TO registry']);
    }
  });

  it.each([
    `INSERT INTO account (id, name, role, created_us) VALUES ('x', 'x', 'administrator', 0)`,
    'UPDATE api_key SET revoked_us = NULL',
    'DELETE FROM feed_clock',
    "UPDATE revision SET body = '{}'",
    'DROP TABLE asset',
  ])('registry may not: %s', async (statement) => {
    const intruder = await createConnection(urlOf('registry'));
    closings.push(() => intruder.end());
    await expect(intruder.query(statement)).rejects.toMatchObject({
      code: expect.stringMatching(/^ER_(TABLE|COLUMN)ACCESS_DENIED_ERROR$/),
    });
  });
});
