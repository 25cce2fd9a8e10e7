import { existsSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openCopyToRead } from '../../clients/sync/src/copies/open-copy.js';
import { readTarget } from '../../clients/sync/src/copies/target.js';
import type { LogRow } from '../../clients/sync/src/copies/log-row.js';
import type { JsonObject } from '../support/assets.js';
import { copies, jsonlCopies, pathOf, sqlCopies, type TestCopy, type TestSqlCopy } from '../support/copies.js';
import { FakeLog, fakeOrigin, FakeSigner, type FakeState, kyiv } from '../support/fake-log.js';
import { FakeLogRegistry } from '../support/fake-log-registry.js';
import { syncCommand } from '../support/sync-command.js';
import { SyncProcess } from '../support/sync-process.js';

const REFUTED = 6;
const NOT_COMPLETE = 7;
/** Than every state. */
const LATER = '2100-01-01T00:00:00.000000+02:00';

let registry: FakeLogRegistry;
let copy: TestCopy;
let ids: string[];

async function begin(create: () => Promise<TestCopy>): Promise<void> {
  registry = await new FakeLogRegistry().start();
  copy = await create();
  ids = registry.fill();
}

async function end(): Promise<void> {
  await registry.stop();
  await copy.drop();
}

/** Log rows of the copy. */
async function copiedLog(): Promise<LogRow[]> {
  const opened = await openCopyToRead(readTarget(copy.target));
  try {
    const state = await opened.readState();
    return await opened.logRows(0, state?.logPlace ?? 0);
  } finally {
    await opened.close();
  }
}

function expectCopied(rows: readonly LogRow[]): void {
  const { entries, states } = registry.log as FakeLog;
  expect(rows.map(({ place }) => place)).toEqual(entries.map((_, place) => place));
  expect(rows.map(({ entry }) => entry)).toEqual(entries);
  const json = (text: string | null): unknown => (text === null ? null : (JSON.parse(text) as unknown));
  expect(rows.map(({ opening, document }) => ({ opening: json(opening), asset: json(document) }))).toEqual(states);
}

/** A text that has this in it. */
const saying = (part: string): unknown => expect.stringContaining(part);
const sync = (...words: string[]) => syncCommand(registry.url, '--to', copy.target, ...words);
const verify = (...words: string[]) => syncCommand('verify', registry.url, copy.target, ...words);

describe.each(copies)('the log in $name', ({ create }) => {
  beforeEach(() => begin(create));
  afterEach(end);

  it('is stored with the states, continued with each run, and fetched again after an erasure', async () => {
    expect(await sync('--log')).toMatchObject({ code: 0 });
    expectCopied(await copiedLog());
    registry.change(ids[1] as string, { title: 'once more' });
    registry.add();
    registry.log?.publish();
    expect(await sync()).toMatchObject({ code: 0 });
    expectCopied(await copiedLog());
    registry.erase(ids[0] as string);
    registry.erase(ids[1] as string);
    registry.log?.publish();
    expect(await sync()).toMatchObject({ code: 0 });
    const rows = await copiedLog();
    expectCopied(rows);
    expect(rows.filter(({ id, document }) => id === ids[0] && document?.includes('"title":'))).toEqual([]);
    expect(await verify()).toMatchObject({
      code: 0,
      stdout: saying('is sound: 354 entries'),
    });
    expect(await sync('--resync')).toMatchObject({ code: 0 });
    expectCopied(await copiedLog());
  });

  it('can be added to an existing copy, and its end in the registry is an error', async () => {
    expect(await sync()).toMatchObject({ code: 0 });
    expect(await copiedLog()).toEqual([]);
    expect(await sync('--log')).toMatchObject({ code: 0 });
    expectCopied(await copiedLog());
    registry.log = undefined;
    expect(await sync()).toMatchObject({
      code: 1,
      stderr: saying('The registry no longer has a log, but the copy does. The assets are copied'),
    });
  });

  it('is verified, and later tampering is refused', async () => {
    await sync();
    const first = await verify();
    expect(first).toMatchObject({ code: 0 });
    expect(first.stdout).toContain(`The log ${fakeOrigin(1)} is sound: 350 entries. 300 assets of the copy match it`);
    registry.change(ids[7] as string, { title: 'later' });
    registry.log?.publish();
    // This one is newer than the checkpoint.
    registry.add();
    const report = await verify('--json');
    expect(JSON.parse(report.stdout)).toMatchObject({
      isSame: true,
      log: { size: 351, assets: 300, newer: 1, unbound: 0, faults: [] },
    });
    const changed = (registry.log as FakeLog).clone();
    changed.remove(123);
    registry.log = changed.publish();
    const entry = JSON.parse(changed.entries[123] as string) as { id: string; dateModified: string };
    const refused = await verify();
    expect(refused.code).toBe(REFUTED);
    expect(refused.stderr).toContain(`the entry at place 123 (asset ${entry.id}, dateModified ${entry.dateModified})`);
    expect(refused.stderr).toContain('the entry at this place was deleted');
  });
});

/* The target of the copy does not matter here. */
describe('the log of a copy', () => {
  beforeEach(() => begin((copies[0] as (typeof copies)[0]).create));
  afterEach(end);

  it.each([
    ['', false],
    [' and has an erasure, after which earlier states are fetched again', true],
  ])('is refused if the registry has signed another log since%s, also by a first verification', async (_, isErased) => {
    await sync('--log');
    const copied = await copiedLog();
    const other = (registry.log as FakeLog).clone();
    const { asset } = other.states[0] as FakeState;
    const last = other.append({ ...asset, title: 'forged' });
    const [entry, state] = [other.entries[last] as string, other.states[last] as FakeState];
    for (const place of [last, 0]) other.remove(place);
    other.put(0, entry, state);
    if (isErased)
      other.append({ ...asset, dateModified: LATER, redacted: [{ pointer: '/other', reason: 'r', at: LATER }] });
    registry.log = other.publish();
    for (const words of [['--dry-run'], [], []]) {
      const report = await verify(...words);
      expect(report).toMatchObject({ code: REFUTED });
      expect(report.stdout).toMatch(
        new RegExp(`^entry at place 0 \\(asset ${ids[0]}, .*: the copy has another entry at this place`, 'm'),
      );
    }
    expect((await copiedLog()).slice(0, copied.length)).toEqual(copied);
  });

  it('is refused if the copy has more entries than the registry, also by a first verification', async () => {
    await sync('--log');
    const { entry } = (await copiedLog())[349] as LogRow;
    const { id, dateModified } = JSON.parse(entry) as { id: string; dateModified: string };
    const cut = (registry.log as FakeLog).clone();
    cut.remove(349);
    registry.log = cut.publish();
    const report = await verify();
    expect(report).toMatchObject({ code: REFUTED });
    expect(report.stderr).toContain('The log was cut: the copy has 350 entries and the log 349; ');
    expect(report.stderr).toContain(`the entry at place 349 (asset ${id}, dateModified ${dateModified}) is missing`);
  });

  it('cannot be requested if the registry has none, and no copy is begun', async () => {
    registry.log = undefined;
    const report = saying('The registry has no log: omit --log');
    expect(await sync('--log')).toMatchObject({ code: 2, stderr: report });
    expect(await sync()).toMatchObject({ code: 0, stdout: saying('300 assets written') });
    expect(await sync('--log')).toMatchObject({ code: 1, stderr: report });
    expect(await sync()).toMatchObject({ code: 0, stdout: saying('0 assets written') });
  });

  it('is reported as incomplete, each time, while it lacks changes older than ten minutes', async () => {
    await registry.stop();
    registry = await new FakeLogRegistry().start();
    registry.us -= 11 * 60_000_000;
    registry.add();
    registry.log?.publish();
    for (let i = 0; i < 3; i++) registry.add();
    await sync();
    for (const words of [['--dry-run'], []]) {
      const report = await verify(...words);
      expect(report).toMatchObject({ code: NOT_COMPLETE });
      expect(report.stdout).toContain('is sound: 1 entries. 1 assets of the copy match it\n');
      expect(report.stdout).toMatch(/^The log is not complete yet: 3 of these changed more than ten minutes ago/m);
    }
    // An asset older than the last entry must have an entry.
    const log = registry.log as FakeLog;
    log.remove(2);
    log.publish();
    const refused = await verify();
    expect(refused).toMatchObject({ code: REFUTED, stdout: saying('the log has no entry of it') });
  });

  it('is refused if a field is missing without an erasure, and the copy keeps it', async () => {
    await sync('--log');
    const log = registry.log as FakeLog;
    const copied = (await copiedLog())[320];
    log.erase(320, ['title'], kyiv(registry.us + 1));
    const { opening, asset } = log.states[320] as FakeState;
    log.states[320] = { opening, asset: { ...asset, redacted: [] } };
    const report = await verify();
    expect(report).toMatchObject({ code: REFUTED });
    expect(report.stdout).toMatch(
      new RegExp(
        `^entry at place 320 \\(asset ${String(asset?.['id'])}, .*/title is missing, and it is not listed`,
        'm',
      ),
    );
    expect(report.stdout).toMatch(/^\d+ assets of the copy match it, 1 states do not match it$/m);
    expect((await copiedLog())[320]).toEqual(copied);
  });

  it('reports a refutation as JSON', async () => {
    await sync();
    const { code, stdout } = await verify('--json', '--log-key', new FakeLog().identity.publicKey);
    expect([code, JSON.parse(stdout)]).toEqual([REFUTED, { log: { refuted: saying('not signed by'), place: null } }]);
  });
});

describe.each(sqlCopies)('a table asset_log in $name', ({ create }) => {
  beforeEach(() => begin(create));
  afterEach(end);

  it('of another application is left alone', async () => {
    const { sql } = copy as TestSqlCopy;
    await sql('CREATE TABLE asset_log (mine INTEGER)');
    expect(await sync('--log')).toMatchObject({
      code: 1,
      stderr: saying('"asset_log" that is not of a copy'),
    });
    await sql('DROP TABLE asset_log');
    expect(await sync()).toMatchObject({ code: 0 });
    if (copy.target.includes('://')) await sql('CREATE TABLE asset_log_seen (mine INTEGER)');
    if (copy.target.includes('://')) expect(await verify()).toMatchObject({ code: 1 });
  });

  it('that was damaged is repaired by a verification', async () => {
    const { sql } = copy as TestSqlCopy;
    await sync('--log');
    await sql(`UPDATE asset_log SET document = '{}' WHERE place = 5`);
    await sql('DELETE FROM asset_log WHERE place = 6');
    const dryRun = await verify('--dry-run');
    expect(dryRun).toMatchObject({ code: 5, stdout: saying('2 entries of the copied log') });
    expect(await verify()).toMatchObject({ code: 0, stdout: saying(', repaired') });
    expectCopied(await copiedLog());
  });

  it('does not vouch for a document that has a name twice: others read the first of them', async () => {
    const { sql } = copy as TestSqlCopy;
    await sync();
    expect(await verify()).toMatchObject({ code: 0 });
    await sql(
      `UPDATE asset SET document = REPLACE(document, '"title":', '"title":"forged","title":') WHERE id = ?`,
      ids[2],
    );
    expect(await verify()).toMatchObject({ code: REFUTED, stdout: saying(`asset ${ids[2]}`) });
  });
});

describe('verify --dry-run of a copy', () => {
  const faults = async (...words: string[]): Promise<unknown> => {
    const { code, stdout } = await verify('--dry-run', '--json', ...words);
    const { differences, log } = JSON.parse(stdout) as { differences: unknown[]; log: { faults: unknown[] } };
    return { code, differences: differences.length, faults: log.faults.length };
  };
  beforeEach(() => begin((sqlCopies[0] as (typeof sqlCopies)[0]).create));
  afterEach(end);

  it('does not blame the registry for damage of the copy', async () => {
    const { sql } = copy as TestSqlCopy;
    await sync();
    // The first two were changed once, and have two states in the log.
    await sql('DELETE FROM asset WHERE id = ?', ids[0]);
    await sql(`UPDATE asset SET date_modified = '2020-01-01T00:00:00.000000+02:00' WHERE id = ?`, ids[3]);
    await sql('UPDATE asset SET feed_us = feed_us - 100 WHERE id = ?', ids[5]);
    await sql('UPDATE asset SET feed_us = 7 WHERE id = ?', ids[7]);
    await sql(`UPDATE asset SET id = '${'e'.repeat(32)}' WHERE id = ?`, ids[8]);
    expect(await faults()).toEqual({ code: 5, differences: 6, faults: 0 });
    await sql(`UPDATE asset SET document = '{}' WHERE id = ?`, ids[10]);
    expect(await faults('--documents')).toEqual({ code: 5, differences: 7, faults: 0 });
    expect(await verify('--documents')).toMatchObject({ code: 0 });
    expect(await faults('--documents')).toEqual({ code: 0, differences: 0, faults: 0 });
  });

  it('reports what the registry did: it removed an asset, and restored another state', async () => {
    await sync();
    const first = (registry.log as FakeLog).states.find(({ asset }) => asset?.['id'] === ids[0]);
    registry.assets.set(ids[0] as string, first?.asset as JsonObject);
    registry.assets.delete(ids[1] as string);
    expect(await faults()).toEqual({ code: REFUTED, differences: 2, faults: 2 });
  });

  it('leaves states that no log binds to a run that repairs', async () => {
    await sync();
    const id = ids[2] as string;
    registry.assets.set(id, { ...registry.assets.get(id), title: 'forged' });
    expect(await faults('--documents')).toEqual({ code: 5, differences: 1, faults: 0 });
    expect(await verify('--documents')).toMatchObject({ code: REFUTED, stdout: saying(`asset ${id}`) });
  });
});

describe('registry-sync verify', () => {
  beforeEach(() => begin(jsonlCopies.create));
  afterEach(end);

  it('reports that there is no log, and leaves no log files', async () => {
    registry.log = undefined;
    await sync();
    expect(await verify()).toMatchObject({
      code: 0,
      stdout: saying('The registry has no log'),
    });
    expect(existsSync(`${pathOf(copy)}.log-seen.sqlite`)).toBe(false);
    expect(await verify('--log-key', new FakeSigner('registry.example').vkey)).toMatchObject({ code: REFUTED });
    expect(await verify('--witness', new FakeSigner('w.example', 4).vkey)).toMatchObject({ code: REFUTED });
  });

  it('reports another key that the registry names', async () => {
    await sync();
    await verify();
    const { signers, origin } = registry.log as FakeLog;
    const other = new FakeSigner('registry.example');
    signers.push(other);
    registry.log?.publish();
    const key = other.vkeyOf(origin);
    expect(await verify()).toMatchObject({
      code: 0,
      stdout: saying(`The registry names another key ${key}: pass it with --log-key once you know that it is genuine`),
    });
    const given = signers.flatMap(({ vkey }) => ['--log-key', vkey]);
    expect(JSON.parse((await verify(...given, '--json')).stdout)).toMatchObject({ log: { otherKeys: [] } });
  });

  it('refuses malformed logs', async () => {
    await sync();
    const log = registry.log as FakeLog;
    const answer = log.answer.bind(log);
    const unlogged = (text: string): string => `{"data":[],"size":1,"next_page":{"from":1},"unlogged":${text}}`;
    const others = ['null', '{}', '[null]', '[{"place":1}]', '[{"place":1,"dateModified":"now"}]'].map(unlogged);
    for (const page of ['{"data":[null],"size":1,"next_page":{"from":1}}', '{"data":[]}', ...others]) {
      log.answer = (path, query) => (path === 'assets' ? page : answer(path, query));
      expect(await verify()).toMatchObject({ code: REFUTED });
    }
    log.answer = answer;
    for (const identity of [null, {}, { origin: log.origin, publicKey: 'x' }, { ...log.identity, publicKeys: [1] }]) {
      Object.defineProperty(log, 'identity', { value: identity, configurable: true });
      expect(await verify()).toMatchObject({ code: REFUTED });
    }
  });

  it('has no erased text in the file after --resync, also while it follows', async () => {
    const lines = (): string => readFileSync(`${pathOf(copy)}.log.jsonl`, 'utf8');
    registry.add({ title: 'telephone '.repeat(5_000) });
    registry.log?.publish();
    await sync('--log');
    registry.erase([...registry.assets.keys()].at(-1) as string);
    registry.log?.publish();
    await sync();
    expect(lines().includes('telephone')).toBe(true);
    const following = SyncProcess.start([registry.url, '--to', copy.target, '--resync', '--follow', '--poll', '1']);
    await following.progressLine(({ step }) => step === 'caught up');
    expect(lines().includes('telephone')).toBe(false);
    await following.kill('SIGTERM');
    expectCopied(await copiedLog());
  });

  it('accepts keys, and nothing else', async () => {
    await sync();
    const { signers } = registry.log as FakeLog;
    const witness = new FakeSigner('witness.example', 4);
    const [key = ''] = signers.map(({ vkey }) => vkey);
    for (const words of [
      ['--log-key', 'x'],
      ['--log-key', witness.vkey],
      ['--witness', key],
    ])
      expect(await verify(...words)).toMatchObject({ code: 2 });
    expect(await verify('--log-key', new FakeSigner('registry.example').vkey)).toMatchObject({ code: REFUTED });
    expect(await verify('--log-key', key, '--witness', witness.vkey)).toMatchObject({ code: REFUTED });
    registry.log = Object.assign(registry.log as FakeLog, { witnesses: [witness] }).publish();
    expect(await verify('--log-key', key, '--witness', witness.vkey)).toMatchObject({ code: 0 });
  });

  it('of some types and fields compares only those', async () => {
    await syncCommand(registry.url, '--to', copy.target, '--fields', 'title', '--log');
    expect(await verify()).toMatchObject({
      code: 0,
      stdout: saying('300 assets of the copy'),
    });
  });

  it('continues after a following run was killed', async () => {
    const following = SyncProcess.start([registry.url, '--to', copy.target, '--log', '--follow', '--poll', '1']);
    await following.progressLine(({ step }) => step === 'caught up');
    registry.change(ids[0] as string, { title: 'meanwhile' });
    const { length } = (registry.log as FakeLog).publish().entries;
    const bytes = (): number =>
      (JSON.parse(readFileSync(`${pathOf(copy)}.position.json`, 'utf8')) as { logPlace: number }).logPlace;
    await following.progressLine(() => bytes() === length);
    await following.kill('SIGKILL');
    expectCopied(await copiedLog());
    registry.change(ids[1] as string, { title: 'afterwards' });
    registry.log?.publish();
    expect(await sync()).toMatchObject({ code: 0 });
    expectCopied(await copiedLog());
  });
});
