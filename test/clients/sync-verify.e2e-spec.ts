import { readFileSync, writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ASSETS, change, type Owned, publish } from '../support/assets.js';
import { copies, jsonlCopies, pathOf, sqlCopies, type TestCopy, type TestSqlCopy } from '../support/copies.js';
import { databases, type TestDatabaseKind } from '../support/databases.js';
import { addAssets } from '../support/many-assets.js';
import { follow } from '../support/pages.js';
import { TestRegistry } from '../support/registry.js';
import { syncCommand } from '../support/sync-command.js';
import { type SyncEnded, SyncProcess } from '../support/sync-process.js';

/** More than are compared one by one, so that sums must locate the differences. */
const FEW = 1_100;

interface Verified {
  upTo: string;
  isSame: boolean;
  mended: number;
  differences: { kind: string; id: string; registry: string | null; copy: string | null }[];
}

/** Runs a verification. @returns its report with its exit code */
async function verify(url: string, copy: TestCopy, ...options: string[]): Promise<Verified & { code: number | null }> {
  return reportOf(await syncCommand('verify', url, copy.target, '--json', ...options));
}

function reportOf({ code, stdout, stderr }: SyncEnded): Verified & { code: number | null } {
  if (stdout === '') throw new Error(stderr);
  return { code, ...(JSON.parse(stdout) as Verified) };
}

async function start(assets: number): Promise<TestRegistry> {
  const registry = await TestRegistry.start(databases[0] as TestDatabaseKind);
  await publish(registry);
  await addAssets(registry.databaseUrl, assets);
  return registry;
}

async function expectSame(copy: TestCopy, registry: TestRegistry): Promise<void> {
  const entries = await follow(registry, `${ASSETS}?limit=1000&opt_fields=*`);
  const documents = await copy.documents();
  expect(documents.size).toBe(entries.length);
  const others = entries.filter((entry) => !isDeepStrictEqual(JSON.parse(documents.get(entry.id) as string), entry));
  expect(others).toEqual([]);
}

describe.each(sqlCopies)('registry-sync verify of $name', ({ create }) => {
  let registry: TestRegistry;
  let owned: Owned;
  let copy: TestSqlCopy;
  /** Id of the row in the middle of the feed. */
  let id: string;

  beforeAll(async () => {
    registry = await start(FEW);
    owned = await publish(registry);
    copy = await create();
    await syncCommand(registry.url, '--to', copy.target);
    [{ id }] = (await copy.sql('SELECT id FROM asset ORDER BY feed_us LIMIT 1 OFFSET 700')) as [{ id: string }];
  });
  afterAll(async () => {
    await copy?.drop();
    await registry?.stop();
  });

  const expectMended = async (kinds: string[], ...options: string[]): Promise<void> => {
    const report = await verify(registry.url, copy, ...options);
    expect([report.code, report.isSame, report.differences.map(({ kind }) => kind).toSorted()]).toEqual([
      0,
      true,
      kinds,
    ]);
    await expectSame(copy, registry);
  };

  it('finds and repairs a version that is not the registry’s', async () => {
    await copy.sql("UPDATE asset SET date_modified = '2017-08-16T18:36:13.882146+03:00' WHERE id = ?", id);
    await expectMended(['different']);
    expect(await verify(registry.url, copy)).toMatchObject({ code: 0, isSame: true, differences: [] });
  });

  it('finds and repairs a row with a wrong instant: within the copied range, before it and after it', async () => {
    for (const feedUs of [2_000_000_000, -5, 9_000_000_000_000_000]) {
      await copy.sql('UPDATE asset SET feed_us = ? WHERE id = ?', feedUs, id);
      await expectMended(['different']);
    }
  });

  it('finds and removes rows that the registry does not have', async () => {
    const columns = 'asset_id, asset_type, status, date_modified, related_lot, owner, document';
    await copy.sql(`INSERT INTO asset (id, feed_us, ${columns}) SELECT ?, feed_us * 1000 + 1, ${columns} FROM asset WHERE id = ?`, 'f'.repeat(32), id); // prettier-ignore
    await expectMended(['surplus']);
  });

  it('finds all of it together', async () => {
    await copy.sql('DELETE FROM asset WHERE feed_us BETWEEN 100 AND 1050');
    const report = await verify(registry.url, copy);
    expect([report.code, report.mended]).toEqual([0, 951]);
    await expectSame(copy, registry);
  });

  it('repairs nothing with --dry-run, and ends with 5', async () => {
    await copy.sql('UPDATE asset SET feed_us = -7 WHERE id = ?', id);
    const report = await verify(registry.url, copy, '--dry-run');
    expect(report).toMatchObject({ code: 5, isSame: false, mended: 0, differences: [{ kind: 'different', id }] });
    expect(await copy.sql('SELECT feed_us FROM asset WHERE id = ?', id)).toEqual([{ feed_us: -7 }]);
    await expectMended(['different']);
  });

  it('compares documents with --documents', async () => {
    await copy.sql("UPDATE asset SET document = '{}' WHERE id = ?", id);
    expect((await verify(registry.url, copy)).differences).toEqual([]);
    await expectMended(['different'], '--documents');
    await copy.sql("UPDATE asset SET status = 'draft' WHERE id = ?", id);
    await expectMended(['different'], '--documents');
  });

  it('reports no concurrent change as a difference', async () => {
    await change(registry, owned, { title: 'Змінено' });
    await copy.sql('DELETE FROM asset WHERE id = ?', id);
    let isWriting = true;
    const writer = (async () => {
      for (let i = 0; isWriting; i++) await change(registry, owned, { title: `Змінено ${i}` });
    })();
    // In a separate process, because the writer would starve it here.
    const report = reportOf(await SyncProcess.start(['verify', registry.url, copy.target, '--json']).end);
    isWriting = false;
    await writer;
    expect(report.differences).toEqual([expect.objectContaining({ kind: 'missing', id })]);
    expect(report.code).toBe(0);
  });
});

describe('registry-sync verify', () => {
  let copy: TestCopy;
  let registry: TestRegistry;
  afterEach(async () => {
    await copy.drop();
    await registry.stop();
  });

  it('compares a copy of some types page by page', async () => {
    registry = await start(10);
    copy = await (copies[0] as (typeof copies)[0]).create();
    await syncCommand(registry.url, '--to', copy.target, '--type', 'compound');
    const { code, stdout, stderr } = await syncCommand('verify', registry.url, copy.target);
    expect([code, stderr, stdout]).toEqual([
      0,
      expect.stringContaining('The copy has only compound: it is compared page by page'),
      expect.stringContaining('The copy is the same'),
    ]);
  });

  it('repairs lines of JSON by further lines', async () => {
    registry = await start(FEW);
    copy = await jsonlCopies.create();
    await syncCommand(registry.url, '--to', copy.target);
    const lines = readFileSync(pathOf(copy), 'utf8').split('\n');
    const [first = '', second = ''] = lines;
    // Blanks of the same length, because the position includes the file's size.
    lines[0] = ' '.repeat(Buffer.byteLength(first));
    lines[1] = second.replace(/"id":"./, '"id":"z');
    writeFileSync(pathOf(copy), lines.join('\n'));
    const report = await verify(registry.url, copy);
    expect([report.code, report.isSame]).toEqual([0, true]);
    expect(report.differences.map(({ kind }) => kind).toSorted()).toEqual(['missing', 'missing', 'surplus']);
    expect(readFileSync(pathOf(copy), 'utf8')).toMatch(/\{"id":"z[0-9a-f]{31}","removed":true\}\n$/);
    expect(await verify(registry.url, copy)).toMatchObject({ code: 0, isSame: true, mended: 0 });
  });
});
