import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { backUp } from '../../src/database/copy/backup.js';
import { ASSETS, assetBody, change, create, type Owned, post, publish, read } from '../support/assets.js';
import { command } from '../support/commands.js';
import { databases, type TestDatabase, type TestDatabaseKind } from '../support/databases.js';
import { expectDryRunMatches, sendDryRun } from '../support/dry-runs.js';
import { expectError, faultsOf } from '../support/errors.js';
import { loadServiceHere } from '../support/loaded-service.js';
import { migrate } from '../support/migrated.js';
import { newFolder } from '../support/new-folder.js';
import { readiness } from '../support/readiness.js';
import { TestRegistry, zoneAtNoon } from '../support/registry.js';
import { runSql } from '../support/rows.js';
import { silent } from '../support/silent-progress.js';
import { until } from '../support/until.js';

loadServiceHere();

const YEARS_20_MS = 7_305 * 86_400_000;
/** From noon: into the next day. */
const HOURS_13_MS = 13 * 3_600_000;
const IN_DOUBT = /^The registry takes no changes while its clock is in doubt/;
const trueNow = Date.now;
const TIME_ZONE = zoneAtNoon();
const dayOf = (ms: number): string => new Intl.DateTimeFormat('sv-SE', { timeZone: TIME_ZONE }).format(new Date(ms));
const today = (): string => dayOf(trueNow());

/** The system's time is wrong by that from now on, for everything in this process. */
const setClock = (wrongByMs: number): void =>
  void jest.spyOn(Date, 'now').mockImplementation(() => trueNow() + wrongByMs);

const writes = async (registry: TestRegistry): Promise<boolean> => (await post(registry, assetBody())).status === 201;

async function expectNoWrites(registry: TestRegistry, owned: Owned): Promise<void> {
  const created = await post(registry, assetBody());
  expectError(created, 503, 'header', 'server', expect.stringMatching(IN_DOUBT));
  expect(created.headers.get('retry-after')).toMatch(/^\d+$/);
  const changed = await change(registry, owned, { title: 'changed' });
  expectError(changed, 503, 'header', 'server', expect.stringMatching(IN_DOUBT));
  for (const [method, path] of [['POST', ASSETS] as const, ['PATCH', `${ASSETS}/${owned.id}`] as const]) {
    const body = method === 'POST' ? assetBody() : { access: { token: owned.token }, data: { title: 'changed' } };
    expectDryRunMatches(await sendDryRun(registry, method, path, body), created);
  }
}

/** A registry with one asset, that has ended. */
class Ended {
  private registry: TestRegistry | undefined;

  private constructor(
    private readonly database: TestDatabase,
    readonly owned: Owned,
  ) {}

  static async of(kind: TestDatabaseKind): Promise<Ended> {
    const database = await kind.create();
    await migrate(database.url);
    const registry = await TestRegistry.startOn(database.url, { TIME_ZONE });
    const owned = await publish(registry);
    await registry.close();
    return new Ended(database, owned);
  }

  get databaseUrl(): string {
    return this.database.url;
  }

  /** Again, where it runs. */
  async start(settings: Record<string, string> = {}): Promise<TestRegistry> {
    await this.registry?.close();
    this.registry = await TestRegistry.startOn(this.database.url, { TIME_ZONE, ...settings });
    return this.registry;
  }

  clock(...words: string[]): ReturnType<typeof command> {
    return command(['clock', ...words], { DATABASE_URL: this.database.url, TIME_ZONE });
  }

  /** Ends it again, with the right time. */
  async end(): Promise<void> {
    jest.restoreAllMocks();
    await this.registry?.close();
    this.registry = undefined;
  }

  async drop(): Promise<void> {
    await this.end();
    await this.database.drop();
  }
}

it.each(databases)(
  'a registry on $name whose last instant is of the next day, within its bounds, numbers assets by that day alone',
  async (kind) => {
    const ended = await Ended.of(kind);
    const aheadUs = (trueNow() + HOURS_13_MS) * 1_000;
    await runSql(ended, 'UPDATE feed_clock SET last_us = ?', [aheadUs]);
    const registry = await ended.start({ CLOCK_MAX_STEP: '1d' });
    const numbers = [await create(registry), await create(registry)].map(({ asset }) => asset.assetID);
    const tomorrow = dayOf(aheadUs / 1_000);
    expect(numbers).toEqual([`UA-${tomorrow}-000001`, `UA-${tomorrow}-000002`]);
    const rows = await runSql(ended, 'SELECT day, last_number FROM asset_sequence ORDER BY day');
    expect(rows).toEqual([
      { day: today(), last_number: 1 },
      { day: tomorrow, last_number: 2 },
    ]);
    await ended.drop();
  },
);

describe.each(databases)('a registry on $name whose last instant is twenty years ahead', (kind) => {
  let ended: Ended;
  let registry: TestRegistry;
  let poisonedUs: number;

  beforeAll(async () => {
    ended = await Ended.of(kind);
    poisonedUs = (trueNow() + YEARS_20_MS) * 1_000;
    await runSql(ended, 'UPDATE asset SET modified_us = ?, feed_us = ?', [poisonedUs, poisonedUs]);
    await runSql(ended, 'UPDATE feed_clock SET last_us = ?', [poisonedUs]);
    registry = await ended.start();
  });
  afterAll(() => ended?.drop());

  it('starts, answers reads, and refuses changes', async () => {
    expect((await read(registry, ended.owned)).status).toBe(200);
    expect((await registry.send(ASSETS)).json.data).toHaveLength(1);
    await expectNoWrites(registry, ended.owned);
  });

  it('is not ready, and reports the reason and what to do', async () => {
    const faults = faultsOf(await readiness(registry), 503).map(({ description }) => description);
    expect(faults).toEqual([
      expect.stringMatching(
        /^clock: the system's clock is 730[45] days behind the last instant that was given out, .*: nothing is written; .*"registry clock"/,
      ),
    ]);
  });

  it('shows the operator the choices, and decides nothing', async () => {
    const { code, output } = await ended.clock();
    expect(code).toBe(0);
    expect(output).toMatch(
      /System clock +2\d.*\nDatabase clock .*\nLast instant .*\nLast at work .*\nAccepted lead +none/,
    );
    expect(output).toMatch(/in doubt.*730[45] days behind/);
    expect(output).toMatch(/registry clock accept.*restore an earlier backup/s);
    expect(await ended.clock('accept')).toMatchObject({ code: 1, output: expect.stringMatching(/accept --yes/) });
    await expectNoWrites(registry, ended.owned);
  });

  it('continues in order once the clock is accepted, and numbers assets by the present day', async () => {
    expect(await ended.clock('accept', '--yes')).toMatchObject({
      code: 0,
      output: expect.stringMatching(/Accepted: services write again within seconds/),
    });
    await until(() => writes(registry));
    const made = await create(registry);
    expect(made.asset.assetID).toMatch(new RegExp(`^UA-${today()}-\\d{6}$`));
    const changed = await change(registry, ended.owned, { title: 'changed' });
    expect(changed.json.data.dateModified > made.asset.dateModified).toBe(true);
    const [row] = (await runSql(ended, 'SELECT last_us FROM feed_clock')) as { last_us: number | string }[];
    const ahead = Number(row?.last_us) - poisonedUs;
    expect(ahead).toBeGreaterThanOrEqual(3);
    expect(ahead).toBeLessThan(1_000);
    const { json } = await registry.send(`${ASSETS}?descending=1&limit=1`);
    expect(json.data[0]).toMatchObject({ id: ended.owned.id, dateModified: changed.json.data.dateModified });
  });

  it('is ready again, and stays so after a restart', async () => {
    await until(async () => (await readiness(registry)).status === 200);
    registry = await ended.start();
    expect((await readiness(registry)).status).toBe(200);
    expect(await writes(registry)).toBe(true);
  });

  it('needs no further decision, and records who decided', async () => {
    expect((await ended.clock()).output).toMatch(/Accepted lead +730[45] days\n\nThe clock is trusted/);
    expect((await ended.clock('accept', '--yes')).output).toMatch(/Nothing to accept/);
    const rows = (await runSql(ended, "SELECT * FROM audit WHERE subject = 'clock'")) as Record<string, string>[];
    expect(rows.map(({ action, actor }) => [action, actor])).toEqual([
      ['clock.accept', expect.stringMatching(/^operator:/)],
    ]);
    expect(JSON.parse(String(rows[0]?.['detail']))).toMatchObject({ lastUs: poisonedUs });
  });
});

describe.each(databases)('a registry on $name', (kind) => {
  let ended: Ended;

  beforeAll(async () => void (ended = await Ended.of(kind)));
  afterEach(() => ended.end());
  afterAll(() => ended?.drop());

  it('that starts twenty years ahead refuses changes, until the clock is right', async () => {
    setClock(YEARS_20_MS);
    const registry = await ended.start();
    await expectNoWrites(registry, ended.owned);
    const [fault] = faultsOf(await readiness(registry), 503);
    const reason =
      kind.name === 'SQLite' ? /730[45] days ahead of the time .* last at work/ : /730[45] days ahead of the database/;
    expect(fault?.description).toMatch(reason);
    expect((await registry.send(ASSETS)).status).toBe(200);
    setClock(0);
    await until(() => writes(registry));
    const { asset } = await create(registry);
    expect(asset.assetID).toContain(`UA-${today()}-`);
    expect(Math.abs(Date.parse(asset.dateModified) - trueNow())).toBeLessThan(60_000);
  });

  it('whose clock is set an hour ahead while it runs refuses changes, until it is right', async () => {
    const registry = await ended.start();
    setClock(3_600_000);
    await until(async () => !(await writes(registry)));
    await expectNoWrites(registry, ended.owned);
    setClock(0);
    await until(() => writes(registry));
    const { json } = await registry.send(`${ASSETS}?descending=1&limit=1`);
    const newest = json.data[0]?.dateModified ?? ended.owned.asset.dateModified;
    expect(Date.parse(newest)).toBeLessThan(trueNow() + 60_000);
  });

  it('is not restored by a machine that is twenty years ahead', async () => {
    const file = join(newFolder(), 'backup.sqlite');
    await backUp(ended.databaseUrl, file, silent);
    setClock(YEARS_20_MS);
    const name = ended.databaseUrl.split('/').at(-1) as string;
    const restored = await command(['restore', file, '--replace', '--yes', name], { DATABASE_URL: ended.databaseUrl });
    expect(restored).toMatchObject({ code: 1, output: expect.stringMatching(/730[45] days ahead .*CLOCK_MAX_JUMP/) });
    setClock(0);
    expect(await writes(await ended.start())).toBe(true);
  });

  // The last, as a clock is accepted that is wrong.
  it('says to an operator whose clock is wrong as well which one it is compared with', async () => {
    setClock(YEARS_20_MS);
    const { output } = await ended.clock();
    if (kind.name === 'SQLite') {
      expect(output).toMatch(/none: SQLite.*730[45] days ahead of the time.*registry clock accept/s);
      expect(await ended.clock('accept', '--yes')).toMatchObject({ code: 0 });
      expect(await writes(await ended.start())).toBe(true);
    } else {
      expect(output).toMatch(/730[45] days ahead of the database server's.*correct whichever clock is wrong/s);
      expect(await ended.clock('accept', '--yes')).toMatchObject({
        code: 1,
        output: expect.stringMatching(/does not help here/),
      });
    }
  });
});
