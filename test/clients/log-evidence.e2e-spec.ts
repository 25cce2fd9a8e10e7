import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../support/assets.js';
import { copies, type TestCopy, type TestSqlCopy } from '../support/copies.js';
import { type FakeLog, type FakeState } from '../support/fake-log.js';
import { FakeLogRegistry } from '../support/fake-log-registry.js';
import { syncCommand } from '../support/sync-command.js';

const REFUTED = 6;
const NOT_COMPLETE = 7;

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

/** A text that has this in it. */
const saying = (part: string): unknown => expect.stringContaining(part);
const sync = () => syncCommand(registry.url, '--to', copy.target);
const verify = (...words: string[]) => syncCommand('verify', registry.url, copy.target, ...words);

describe.each(copies)('a verified copy in $name', ({ create }) => {
  beforeEach(() => begin(create));
  afterEach(end);

  it('keeps its state of an asset if no entry binds the one that the registry shows', async () => {
    await sync();
    await verify();
    const before = await copy.documents();
    const log = registry.log as FakeLog;
    const states = [...log.states];
    const assets = new Map(registry.assets);
    const [older = '', , , changed = '', gone = '', other = ''] = ids.slice(144);
    const olderAsset = log.states.find(({ asset }) => asset?.['id'] === older)?.asset;
    const place = log.states.findLastIndex(({ asset }) => asset?.['id'] === changed);
    const forged = { ...registry.assets.get(changed), title: 'forged' };
    log.states[place] = { ...(log.states[place] as FakeState), asset: forged };
    registry.assets.set(changed, forged);
    registry.assets.delete(gone);
    registry.assets.set(older, olderAsset as JsonObject);
    // A state that differs from the log.
    registry.assets.set(other, { ...registry.assets.get(other), title: 'forged' });
    for (const isJson of [false, true]) {
      const report = await verify('--documents', ...(isJson ? ['--json'] : []));
      expect(report).toMatchObject({ code: REFUTED });
      for (const id of [older, changed, gone, other]) expect(report.stdout).toContain(id);
      expect(report.stdout).toContain(isJson ? '"mended":0' : 'not repaired');
      expect(await copy.documents()).toEqual(before);
    }
    log.states.splice(0, Infinity, ...states);
    for (const [id, asset] of assets) registry.assets.set(id, asset);
    expect(await verify('--documents')).toMatchObject({ code: 0, stdout: saying('The copy is the same') });
  });
});

/* The target of the copy does not matter here. */
describe('a verified copy', () => {
  beforeEach(() => begin((copies[0] as (typeof copies)[0]).create));
  afterEach(end);

  it('stays as it is while the registry runs without its key, which is reported as incomplete', async () => {
    await sync();
    await verify();
    const { log } = registry;
    registry.log = undefined;
    registry.assets.set(ids[0] as string, { ...registry.assets.get(ids[0] as string), title: 'forged' });
    const before = await copy.documents();
    const report = await verify('--documents');
    expect(report).toMatchObject({ code: NOT_COMPLETE, stderr: saying('The registry no longer names its log') });
    expect(await copy.documents()).toEqual(before);
    registry.log = log;
    expect(await verify('--documents')).toMatchObject({ code: REFUTED });
    expect(await copy.documents()).toEqual(before);
  });

  it('is repaired if entries bind the states that the registry shows', async () => {
    const { sql } = copy as TestSqlCopy;
    await sync();
    const before = await copy.documents();
    await sql(`UPDATE asset SET document = '{}' WHERE feed_us % 2 = 0`);
    await sql(`UPDATE asset SET feed_us = 7 WHERE id = ?`, ids[8]);
    await sql(`DELETE FROM asset WHERE id = ?`, ids[9]);
    const report = await verify('--documents');
    expect(report).toMatchObject({ code: 0, stdout: saying('300 assets of the copy match it') });
    expect(report.stdout).toContain(', repaired: the copy is the same as the registry');
    expect(await copy.documents()).toEqual(before);
  });

  it('is not repaired after the last entry of the log until there is a later one', async () => {
    const { sql } = copy as TestSqlCopy;
    registry.add();
    const id = [...registry.assets.keys()].at(-1) as string;
    await sync();
    await sql(`UPDATE asset SET document = '{}' WHERE id = ?`, id);
    const report = await verify('--documents');
    expect(report).toMatchObject({
      code: 5,
      stdout: saying('1 difference, 1 not repaired: no entry of the log matches'),
    });
    registry.log?.publish();
    expect(await verify('--documents')).toMatchObject({ code: 0, stdout: saying('1 difference, repaired') });
  });
});
