import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { change, createIn, type Owned, publish, read } from '../support/assets.js';
import { copies, pathOf, sqlCopies, type TestCopy, type TestSqlCopy } from '../support/copies.js';
import { embedded, type TestDatabaseKind } from '../support/databases.js';
import { TestRegistry } from '../support/registry.js';
import { syncCommand } from '../support/sync-command.js';
import { SyncProcess } from '../support/sync-process.js';
import { until } from '../support/until.js';

const [sqlite] = embedded as [TestDatabaseKind];
const FILTER = ['--filter', 'status=pending&q=hangar'];
const saying = (part: string): unknown => expect.stringContaining(part);

let registry: TestRegistry;
let copy: TestCopy;
const sync = (...words: string[]) => syncCommand(registry.url, '--to', copy.target, ...words);
const verify = (...words: string[]) => syncCommand('verify', registry.url, copy.target, ...words);
const hangar = () => publish(registry, { title: 'Hangar' });
const ids = async (): Promise<string[]> => [...(await copy.documents()).keys()].toSorted();
const idsOf = (...owned: Owned[]): string[] => owned.map(({ id }) => id).toSorted();

const folder = mkdtempSync(join(tmpdir(), 'registry-filtered-'));
beforeAll(async () => {
  registry = await TestRegistry.start(sqlite, { SEARCH_INDEX: join(folder, 'index.sqlite') });
});
afterAll(async () => {
  await registry?.stop();
  rmSync(folder, { recursive: true });
});

describe.each(copies)('a copy of a search in $name', ({ create }) => {
  let first: Owned;
  let second: Owned;
  beforeEach(async () => {
    copy = await create();
    [first, second] = [await hangar(), await hangar()];
    await publish(registry);
    await createIn(registry, 'active');
  });
  afterEach(async () => {
    // The next test begins with new hangars.
    for (const one of await ids()) await change(registry, one === first.id ? first : second, { status: 'deleted' });
    await copy.drop();
  });

  it('copies it byte for byte and continues with changes, and verify removes assets that no longer match', async () => {
    expect(await sync(...FILTER)).toMatchObject({ code: 0, stdout: saying('2 assets written') });
    expect(await ids()).toEqual(idsOf(first, second));
    const { text } = await read(registry, first);
    expect(`{"data":${(await copy.documents()).get(first.id)}}`).toBe(text);
    expect(await sync()).toMatchObject({ code: 0, stdout: saying('0 assets written') });
    await change(registry, second, { description: 'changed' });
    expect(await sync()).toMatchObject({ code: 0, stdout: saying('1 asset written') });
    expect(await verify()).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^The copy is what the registry finds with its filter/),
      stderr: saying('the registry has no sums for it'),
    });

    await change(registry, first, { title: 'Barn' });
    expect(await sync()).toMatchObject({ code: 0, stdout: saying('0 assets written') });
    expect(await ids()).toEqual(idsOf(first, second));
    const dryRun = await verify('--dry-run');
    expect(dryRun).toMatchObject({ code: 5, stdout: saying(`surplus   ${first.id}`) });
    expect(await verify()).toMatchObject({ code: 0, stdout: saying('1 difference, repaired: the copy is what') });
    expect(await ids()).toEqual(idsOf(second));
  });

  it('follows, refuses another filter, and is made again with --resync', async () => {
    const runner = SyncProcess.start([registry.url, '--to', copy.target, ...FILTER, '--follow']);
    await runner.progressLine(({ step }) => step === 'caught up');
    expect(JSON.parse((await syncCommand('status', copy.target, '--json')).stdout)).toMatchObject({
      filter: 'q=hangar&status=pending',
      schemaVersion: 2,
      behindSeconds: 0,
    });
    await change(registry, first, { description: 'while it follows' });
    await until(async () => (await copy.documents()).get(first.id)?.includes('while it follows') === true);
    await runner.kill('SIGKILL');
    for (const words of [
      ['--filter', 'status=active'],
      ['--type', 'basic'],
    ])
      expect(await sync(...words)).toMatchObject({ code: 2, stderr: saying('The copy was begun with') });
    expect(await sync('--filter', 'q=hangar&status=pending')).toMatchObject({ code: 0 });
    expect(await sync('--log')).toMatchObject({ code: 2, stderr: saying('--log cannot be combined with --filter') });
    expect(await sync('--resync')).toMatchObject({ code: 0, stdout: saying('2 assets written') });
    expect((await syncCommand('status', copy.target)).stdout).toMatch(/^filter +q=hangar&status=pending$/m);
  });
});

describe('a copy of a search', () => {
  beforeEach(async () => {
    copy = await (copies[0] as (typeof copies)[0]).create();
  });
  afterEach(() => copy.drop());

  it.each([
    [['--filter', 'status=lost'], 'status'],
    [['--filter', 'stauts=active'], 'stauts cannot select assets'],
    [['--filter', 'valueFrom=1'], 'currency'],
    [[...FILTER, '--log'], '--log cannot be combined with --filter'],
    [[...FILTER, '--type', 'basic'], 'cannot be used with'],
    [[...FILTER, '--newest-first'], 'cannot be used with'],
  ])('is not begun with %j, and nothing is made', async (words, reason) => {
    expect(await sync(...words)).toMatchObject({ code: 2, stderr: saying(reason) });
    expect(existsSync(pathOf(copy))).toBe(false);
  });

  it('is repaired after losing or altering rows', async () => {
    const owned = [await hangar(), await hangar(), await hangar()];
    await sync('--filter', 'q=hangar');
    const { sql } = copy as TestSqlCopy;
    const before = await copy.documents();
    await sql('DELETE FROM asset WHERE id = ?', owned[0]?.id);
    await sql('UPDATE asset SET feed_us = 7 WHERE id = ?', owned[1]?.id);
    await sql(`UPDATE asset SET document = '{}' WHERE id = ?`, owned[2]?.id);
    expect(await verify('--documents')).toMatchObject({ code: 0, stdout: saying('3 differences, repaired') });
    expect(await copy.documents()).toEqual(before);
  });

  it('stops at another history', async () => {
    await hangar();
    await sync('--filter', 'q=hangar');
    await TestRegistry.during(sqlite, { SEARCH_INDEX: join(folder, 'other.sqlite') }, async (other) => {
      for (const words of [
        [other.url, '--to', copy.target],
        ['verify', other.url, copy.target],
      ])
        expect(await syncCommand(...words)).toMatchObject({ code: 3, stderr: saying('another history') });
    });
  });
});

describe.each(sqlCopies)('a copy of an earlier version in $name', ({ create }) => {
  it('keeps all, as before', async () => {
    copy = await create();
    await sync();
    await (copy as TestSqlCopy).sql('ALTER TABLE sync_state DROP COLUMN filter');
    expect(await verify('--dry-run')).toMatchObject({
      code: 0,
      stdout: saying('The copy is the same as the registry'),
    });
    expect(await sync(...FILTER)).toMatchObject({ code: 2, stderr: saying('begun without --filter') });
    await copy.drop();
  });
});
