import { appendFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newLogKey } from '../../src/log/log-keys.js';
import { removeFolder } from '../../scripts/machine/remove-folder.js';
import { ASSETS, assetBody, changeAs, create, type JsonObject, LOT, publish } from '../support/assets.js';
import { command } from '../support/commands.js';
import { databases, type TestDatabase } from '../support/databases.js';
import { migrate } from '../support/migrated.js';
import { checkpointOf, readLog } from '../support/log-reader.js';
import { follow } from '../support/pages.js';
import { type Reply, TestRegistry } from '../support/registry.js';
import { runSql } from '../support/rows.js';

const OLD = {
  ...assetBody().data,
  id: '0123456789abcdef0123456789abcdef',
  assetID: 'UA-AR-DGF-2017-08-16-000007-1',
  owner: 'old.broker',
  status: 'active',
  relatedLot: '5a0d7b9a1b2c3d4e5f607182',
  date: '2017-08-16T18:36:13.882146+03:00',
  dateModified: '2017-09-01T10:00:00.000001+03:00',
};

/** An asset of the same registry with another id, number and date. @param number from 1 */
function another(number: number, fields: JsonObject = {}): JsonObject {
  const digits = String(number).padStart(6, '0');
  const dateModified = `2017-09-02T10:00:00.${digits}+03:00`;
  return { ...OLD, id: digits.padStart(32, 'a'), assetID: `UA-2017-09-01-${digits}`, dateModified, ...fields };
}

/** As printed, without undefined members. */
function withoutGaps(asset: JsonObject): unknown {
  return JSON.parse(JSON.stringify(asset));
}

describe.each(databases)('registry import on $name', (kind) => {
  let folder: string;
  let target: TestDatabase;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'registry-import-'));
  });
  afterAll(() => removeFolder(folder));
  beforeEach(async () => {
    target = await kind.create();
    await migrate(target.url);
  });
  afterEach(() => target.drop());

  const cli = (...words: string[]): ReturnType<typeof command> => command(words, { DATABASE_URL: target.url });
  const fileOf = (assets: readonly unknown[], name = 'assets.jsonl'): string => {
    const file = join(folder, name);
    writeFileSync(file, assets.map((asset) => `${JSON.stringify(asset)}\n`).join(''));
    return file;
  };
  const reportOf = async (...words: string[]): Promise<JsonObject[]> => {
    const report = join(folder, 'report.jsonl');
    await cli('import', ...words, '--report', report);
    const lines = readFileSync(report, 'utf8').split('\n').filter(Boolean);
    return lines.map((line) => JSON.parse(line) as JsonObject);
  };
  async function serving(
    work: (registry: TestRegistry) => Promise<void>,
    env: Record<string, string> = {},
  ): Promise<void> {
    const registry = await TestRegistry.startOn(target.url, { SEARCH_INDEX: join(folder, 'index.sqlite'), ...env });
    try {
      await work(registry);
    } finally {
      await registry.close();
    }
  }

  it('brings assets with their ids, numbers, owners, states and dates', async () => {
    const draft = another(1, { status: 'draft', relatedLot: undefined });
    expect(await cli('import', fileOf([draft, another(2), OLD]))).toMatchObject({ code: 0 });
    await serving(async (registry) => {
      expect((await registry.send(`${ASSETS}/${OLD.id}`)).json.data).toEqual(OLD);
      const listed = await follow(registry, `${ASSETS}?limit=1`);
      expect(listed.map(({ id }) => id)).toEqual([OLD.id, another(2)['id']]);
      expect((await registry.send(`${ASSETS}/${String(draft['id'])}`)).json.data.status).toBe('draft');
      const found = await registry.send(`${ASSETS}/search?q=${OLD.assetID}&relatedLot=${OLD.relatedLot}`);
      expect(found.json.data).toMatchObject([{ id: OLD.id }]);
    });
  });

  it('an asset with the suffix of a server is read by its assetID in capitals and small letters', async () => {
    const assetID = 'UA-2017-09-01-000001-b';
    await cli('import', fileOf([another(1, { assetID })]));
    await serving(async (registry) => {
      for (const number of [assetID, assetID.toUpperCase(), assetID.toLowerCase()])
        expect((await registry.send(`${ASSETS}/${number}`)).json.data).toMatchObject({ assetID });
    });
  });

  it('begins another epoch, and continues after the imported numbers and instants', async () => {
    const history = (): Promise<unknown> => runSql({ databaseUrl: target.url }, 'SELECT epoch FROM feed_clock');
    const before = await history();
    const today = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Kyiv' }).format(new Date());
    await cli('key', 'create', '--account', 'broker', '--role', 'broker');
    await cli('import', fileOf([another(1, { assetID: `UA-${today}-000041` })]));
    expect(await history()).not.toEqual(before);
    await cli('key', 'create', '--account', 'acme', '--role', 'broker');
    const numbers = await runSql({ databaseUrl: target.url }, 'SELECT day, last_number AS n FROM asset_sequence');
    expect(numbers).toEqual([{ day: today, n: 41 }]);
  });

  it('keeps accounts and keys, and creates disabled accounts, which their first key enables', async () => {
    await cli('key', 'create', '--account', 'acme', '--role', 'broker');
    expect((await cli('import', fileOf([OLD]))).output).toContain('old.broker');
    const isDisabled = async (): Promise<unknown> => {
      const lines = (await cli('account', 'list', '--json')).output.split('\n').filter(Boolean);
      const accounts = lines.map((line) => JSON.parse(line) as JsonObject);
      return Object.fromEntries(accounts.map(({ account, disabled }) => [account, disabled !== null]));
    };
    expect(await isDisabled()).toEqual({ acme: false, 'old.broker': true });
    expect(await cli('key', 'create', '--account', 'old.broker', '--role', 'broker')).toMatchObject({ code: 0 });
    expect(await isDisabled()).toEqual({ acme: false, 'old.broker': false });
    expect((await cli('token', 'reissue', OLD.assetID)).output).toMatch(/[0-9a-f]{32}/);
  });

  it('reports every fault with its line, and imports nothing', async () => {
    const faulty = [
      OLD,
      another(1, { owner: 'not a name', date: '2017' }),
      another(2, { status: 'verification' }),
      { ...OLD, documents: [] },
      { ...another(3), id: OLD.id },
      7,
      another(4, { assetID: 'UA-2017-09-01-1234567890' }),
    ];
    const file = fileOf(faulty);
    appendFileSync(file, Buffer.from([0x7b, 0xcc, 0xe0, 0x7d, 0x0a]));
    const lines = await reportOf(file);
    expect(lines.map(({ line, name }) => `${String(line)} ${String(name)}`)).toEqual([
      '2 owner',
      '2 date',
      '3 status',
      '4 documents',
      '5 assetID',
      '6 data',
      '7 assetID',
      '8 data',
    ]);
    expect(await runSql({ databaseUrl: target.url }, 'SELECT id FROM asset')).toEqual([]);
    expect((await cli('import', fileOf(faulty))).code).toBe(1);
  });

  it('renames and omits fields by a map, from a compressed file', async () => {
    const file = join(folder, 'assets.jsonl.gz');
    const old = another(1, { status: 'verification', mode: 'test', relatedLot: undefined });
    writeFileSync(file, gzipSync(JSON.stringify({ data: old })));
    const map = join(folder, 'map.json');
    writeFileSync(map, JSON.stringify({ fields: { mode: null }, values: { status: { verification: 'pending' } } }));
    expect((await cli('import', file, '--map', map)).output).toContain('--map: status in 1 assets');
    expect(await runSql({ databaseUrl: target.url }, 'SELECT status FROM asset')).toEqual([{ status: 'pending' }]);
  });

  it('puts a date that another asset has at the next free microsecond, and says so', async () => {
    const same = another(1, { dateModified: OLD.dateModified });
    const [line, ...others] = await reportOf(fileOf([OLD, same]));
    expect(others).toEqual([]);
    expect(line).toMatchObject({ line: 2, id: same['id'], name: 'dateModified' });
    expect(line?.['description']).toContain('10:00:00.000002+03:00');
  });

  it('imports the history of an asset from one line per state', async () => {
    const day = (number: number): string => `2018-02-0${number}T10:00:00.000000+02:00`;
    const state = (number: number, fields: JsonObject): JsonObject =>
      another(1, { ...fields, dateModified: day(number) });
    const price = (amount: number): JsonObject => ({ value: { currency: 'UAH', amount, valueAddedTaxIncluded: true } });
    const inLot = { ...price(80), status: 'active' };
    const states = [
      state(1, { ...price(100), status: 'draft', title: 'Not yet public', relatedLot: undefined }),
      state(2, { ...price(100), status: 'pending', relatedLot: undefined, owner: 'first.broker' }),
      state(3, { ...price(80), status: 'pending', relatedLot: undefined }),
      state(4, inLot),
      state(5, { ...inLot, status: 'complete' }),
    ];
    const lines = [...states.slice(0, 2), OLD, ...states.slice(2), another(2)];
    expect((await cli('import', fileOf(lines))).output).toContain('3 assets were imported with 4 earlier states');
    const env = { LOG_KEY: newLogKey('registry.example.org/log') };
    await serving(async (registry) => {
      const path = `${ASSETS}/${String(states[0]?.['id'])}`;
      const { json } = await registry.send(`${path}/history`);
      expect((json.data as JsonObject[]).map(({ status, owner, changed }) => [status, owner, changed])).toEqual([
        ['pending', undefined, undefined],
        ['pending', 'old.broker', ['value', 'owner']],
        ['active', undefined, ['status', 'relatedLot']],
        ['complete', undefined, ['status']],
      ]);
      const at = (instant: unknown): Promise<Reply> =>
        registry.send(`${path}?at=${encodeURIComponent(String(instant))}`);
      for (const one of states.slice(1)) expect((await at(one['dateModified'])).json.data).toEqual(withoutGaps(one));
      expect((await at(day(1))).status).toBe(404);
      const ids = (await follow(registry, ASSETS)).map(({ id }) => id);
      expect(ids).toEqual([OLD.id, another(2)['id'], states[0]?.['id']]);
      await checkpointOf(registry, 6);
      const logged = (await readLog(registry)).map(({ asset }) => asset);
      expect(logged).toEqual([OLD, another(2), ...states.slice(1)].map(withoutGaps));
    }, env);
  });

  it('refuses states that cannot be the history of one asset, by their lines', async () => {
    const later = (fields: JsonObject, day = '03'): JsonObject =>
      another(1, { ...fields, dateModified: `2017-09-${day}` });
    const lines = await reportOf(
      fileOf([
        another(1),
        later({ assetID: 'UA-2017-09-01-000009', date: '2017-08-01T00:00:00Z' }),
        later({}, '02'),
        later({ status: 'draft', relatedLot: undefined }),
        another(2, { assetID: another(1)['assetID'] }),
        another(3),
        another(3),
      ]),
    );
    expect(
      lines.map(({ line, name, description }) => [line, name, /line (\d+)/i.exec(String(description))?.[1]]),
    ).toEqual([
      [2, 'assetID', '1'],
      [2, 'date', '1'],
      [3, 'dateModified', '1'],
      [4, 'status', '1'],
      [5, 'assetID', '1'],
      [7, 'dateModified', '6'],
    ]);
  });

  it('refuses a state that is not later than the one before, whose instant had to be moved', async () => {
    const sameAsOld = another(1, { dateModified: OLD.dateModified });
    const next = another(1, { dateModified: '2017-09-01T10:00:00.000002+03:00' });
    // The state before it moves to the microsecond after it.
    const lines = await reportOf(fileOf([OLD, sameAsOld, next]));
    expect(lines).toMatchObject([{ line: 3, name: 'dateModified' }, { line: 2 }]);
    expect(await runSql({ databaseUrl: target.url }, 'SELECT id FROM asset')).toEqual([]);
  });

  it('refuses a registry that has assets, even only a draft', async () => {
    await serving(async (registry) => void (await create(registry)));
    const { code, output } = await cli('import', fileOf([OLD]));
    expect([code, output]).toEqual([1, expect.stringContaining('has 1 assets')]);
  });

  it('reads a live registry into a file only, not into standard input', async () => {
    const { code, output } = await cli('import', '-', '--from', 'http://127.0.0.1:9');
    expect([code, output]).toEqual([1, expect.stringContaining('name one instead of -')]);
  });

  it('that was interrupted is not served, and is run again from its beginning', async () => {
    await cli('import', fileOf([another(1), another(2)]));
    await runSql({ databaseUrl: target.url }, "UPDATE feed_clock SET copying = 'import' WHERE id = 1");
    await expect(serving(() => Promise.resolve())).rejects.toThrow('run it again');
    expect(await cli('import', fileOf([OLD]))).toMatchObject({ code: 0 });
    await serving(async (registry) => expect((await registry.send(ASSETS)).json.data).toHaveLength(1));
  });

  it('reads a live registry, and continues where reading was interrupted', async () => {
    const source = await TestRegistry.start(kind);
    try {
      const first = await publish(source);
      const file = join(folder, `live-${kind.name}.jsonl`);
      // As a command leaves it that was killed in the midst of its second page.
      const [entry] = (await source.send(`${ASSETS}?opt_fields=*`)).json.data as JsonObject[];
      const page = `${JSON.stringify(entry)}\n{"offset":"${String(entry?.['dateModified'])}"}\n`;
      writeFileSync(file, `{"offset":""}\n${page}{"id":"half`);
      await publish(source);
      await changeAs(source, 'concierge', first.id, { status: 'active', relatedLot: LOT });
      expect(await cli('import', file, '--from', source.url)).toMatchObject({ code: 0 });
      const whole = await follow(source, `${ASSETS}?opt_fields=*`);
      await serving(async (registry) => {
        expect(await follow(registry, `${ASSETS}?opt_fields=*`)).toEqual(whole);
      });
    } finally {
      await source.stop();
    }
  });
});
