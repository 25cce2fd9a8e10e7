import { beforeAll, describe, expect, it } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import { CopiedDatabase } from '../../src/database/copy/copied-database.js';
import { ASSETS, assetBody, change, create, createIn, type Owned, post, publish, read } from '../support/assets.js';
import { command } from '../support/commands.js';
import { databases, type TestDatabaseKind } from '../support/databases.js';
import { migrate } from '../support/migrated.js';
import { newFolder } from '../support/new-folder.js';
import type { Ended } from '../support/process.js';
import { othersOf } from '../support/process-list.js';
import { TestRegistry } from '../support/registry.js';
import { servedRegistry } from '../support/served-registry.js';
import { everythingStored, runSql } from '../support/rows.js';
import { until } from '../support/until.js';

describe.each(databases.filter(({ name }) => name !== 'SQLite'))('a command that writes to $name', (kind) => {
  it('keeps its locks for at most half a minute if it is frozen, and may be idle afterwards', async () => {
    const { url, drop } = await kind.create();
    const database = await CopiedDatabase.open(url, 'write');
    const idleS = async (): Promise<number> => {
      const [row] = await database.session.query<{ s: unknown }>('SELECT @@session.wait_timeout AS s');
      return Number(row?.s);
    };
    const before = await idleS();
    let during = 0;
    await database.inTransaction(async () => void (during = await idleS()));
    expect([during, await idleS()]).toEqual([30, before]);
    const failing = database.inTransaction(() => Promise.reject(new Error('it fails')));
    await expect(failing).rejects.toThrow('it fails');
    expect(await idleS()).toBe(before);
    await database.close();
    await drop();
  });
});

describe('a command that writes to SQLite', () => {
  it('reports a full disk after SQLite has rolled back', async () => {
    const { url, drop } = await (databases[0] as TestDatabaseKind).create();
    await migrate(url);
    const database = await CopiedDatabase.open(url, 'write');
    const { session } = database;
    // No more than there are.
    await session.query('PRAGMA max_page_count = 1');
    const fill = 'INSERT INTO asset_sequence (day, last_number) VALUES (?, 1)';
    const full = database.inTransaction(async () => void (await session.execute(fill, ['x'.repeat(1_000_000)])));
    await expect(full).rejects.toThrow('database or disk is full');
    await database.close();
    await drop();
  });
});

describe.each(databases)('registry redact on $name', (kind) => {
  const registry = servedRegistry(kind);
  let name: string;

  beforeAll(async () => {
    name = new URL(registry.databaseUrl).pathname.split('/').at(-1) as string;
  });

  const run = (words: string[]): Promise<Ended> =>
    command(words, { DATABASE_URL: registry.databaseUrl, SNAPSHOT_FOLDER: '/nowhere/at/all' });
  const redact = (asset: string, field: string, ...others: string[]): Promise<Ended> =>
    run(['redact', asset, '--field', field, '--reason', 'чому', '--yes', name, ...others]);

  it.each([
    ['what the registry sets', '/owner', [], 'owner is set by the registry itself'],
    ['an item of no list', '/title/x', [], 'No state of the asset has /title/x'],
    ['one with it in capitals', '/title', ['--reason', 'SONDERLING'], 'contains an erased text'],
    ['no reason', '/title', ['--reason', ' '], 'A reason has 1 to 1000 characters'],
    ['another database', '/title', ['--yes', 'other'], 'and not "other": nothing was changed'],
  ])('refuses %s, and changes nothing', async (_, field, others, sentence) => {
    const { id } = await publish(registry, { title: 'Sonderling' });
    const before = await everythingStored(registry);
    const { code, output } = await redact(id, field, ...others);
    expect([code, output]).toEqual([1, expect.stringContaining(sentence)]);
    expect(await everythingStored(registry)).toBe(before);
  });

  it('refuses an unknown asset, and asks before it continues', async () => {
    expect((await redact('UA-2017-01-01-000001', '/title')).output).toContain('There is no asset UA-2017-01-01-000001');
    expect((await redact('a'.repeat(32), '/title')).output).toContain('There is no asset aaaa');
    const { id } = await publish(registry);
    const { code, output } = await run(['redact', id, '--field', '/title', '--reason', 'чому']);
    expect([code, output]).toEqual([1, expect.stringContaining(`confirm with --yes ${name}`)]);
  });

  it('writes nothing while the clock is in doubt', async () => {
    const { id } = await publish(registry);
    const [{ us }] = (await runSql(registry, 'SELECT last_us AS us FROM feed_clock')) as [{ us: string }];
    await runSql(registry, 'UPDATE feed_clock SET last_us = last_us + 100000000000');
    const { code, output } = await redact(id, '/title');
    await runSql(registry, 'UPDATE feed_clock SET last_us = ?', [BigInt(us)]);
    expect([code, output]).toEqual([1, expect.stringContaining('nothing was changed')]);
    // The service may have looked just then: it takes changes again once it has looked again.
    await until(async () => (await post(registry, assetBody())).status === 201);
  });

  it('erases of a draft, which stays one', async () => {
    const draft = await create(registry, { description: 'Entwurfswort' });
    expect((await redact(draft.asset.assetID, '/description')).code).toBe(0);
    const { redacted, description, status } = (await read(registry, draft)).json.data;
    expect([redacted.length, description, status]).toEqual([1, undefined, 'draft']);
    expect((await registry.send(`${ASSETS}/${draft.id}/history`)).json.data).toEqual([]);
    expect((await everythingStored(registry)).includes('Entwurfswort')).toBe(false);
  });

  it.each(['complete', 'deleted'])('erases of an asset that is %s, twice', async (state) => {
    const owned = await createIn(registry, state);
    expect((await redact(owned.id, '/address/region')).code).toBe(0);
    expect((await redact(owned.id, '/address/locality')).code).toBe(0);
    const { redacted, status } = (await read(registry, owned)).json.data;
    expect(redacted.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
      '/address/region',
      '/address/locality',
    ]);
    expect(status).toBe(state);
  });

  it('empties unreadable states if no other state has the field, and repeating it changes nothing', async () => {
    const owned = await publish(registry, { description: 'Schadenswort' });
    for (const fields of [{ description: null }, { quantity: 77 }]) await change(registry, owned, fields);
    await runSql(registry, 'UPDATE revision SET checksum = checksum - 1 WHERE asset = ?', [owned.id]);
    const { code, output } = await redact(owned.id, '/description');
    expect([code, output]).toEqual([0, expect.stringContaining('3 states that did not match')]);
    expect((await read(registry, owned)).json.data.redacted).toMatchObject([{ pointer: '/description' }]);
    expect((await everythingStored(registry)).includes('Schadenswort')).toBe(false);
    expect((await redact(owned.id, '/description')).output).toContain('nothing was changed, as it was erased before');
    expect((await redact(owned.id, '/nothing')).output).toContain('No state of the asset has /nothing');
    expect((await redact(owned.id, '/title')).output).not.toContain('did not match');
  });

  it('dates an erasure that a restore repeats after the states that it erases', async () => {
    const [past, before, after] = [await publish(registry), await publish(registry), await publish(registry)];
    const at = { [past.id]: '2020-01-01T00:00:00.000000+02:00', [before.id]: after.asset.dateModified };
    const lines = [past, before].map(({ id }) => ({ at: at[id], asset: id, pointers: ['/title'], reason: 'чому' }));
    const folder = newFolder();
    const [backup, journal] = [join(folder, 'backup.sqlite'), join(folder, 'journal.jsonl')];
    expect((await run(['backup', backup])).code).toBe(0);
    writeFileSync(journal, lines.map((line) => JSON.stringify(line)).join('\n'));
    const target = await kind.create();
    const { code } = await command(['restore', backup, '--redactions', journal], { DATABASE_URL: target.url });
    const served = await TestRegistry.startOn(target.url);
    const [gone, known] = [(await read(served, past)).json.data, (await read(served, before)).json.data];
    await served.close();
    await target.drop();
    expect([code, gone.title, known.title]).toEqual([0, undefined, undefined]);
    expect(gone.redacted[0].at > gone.dateModified).toBe(true);
    expect(known.redacted[0].at).toBe(at[before.id]);
  });

  it('lists where the same text remains, and writes an audit entry without it', async () => {
    const owned = await publish(registry, { title: 'Haus Sonderling', description: 'Sonderling' });
    const { output } = await redact(owned.id, '/description');
    expect(output).toMatch(/Erased in 2 states[^]*still contain the same text[^]*\n {2}\/title\n/);
    const { output: audit } = await run(['audit', '--action', 'asset.redact', '--asset', owned.id, '--json']);
    expect(JSON.parse(audit)).toMatchObject({ detail: { pointers: ['/description'], reason: 'чому' } });
  });

  if (kind.name !== 'SQLite')
    it('waits for a writer’s lock on the asset, and then erases its change', async () => {
      const { id } = await publish(registry, { title: 'before', description: 'Sonderling' });
      const other = await createConnection(registry.databaseUrl);
      await other.beginTransaction();
      await other.query('SELECT * FROM asset WHERE id = ? FOR UPDATE', [id]);
      const redacting = redact(id, '/description');
      await until(async () =>
        (await othersOf(other)).some(({ statement }) => /FROM asset WHERE id = .* FOR UPDATE/.test(statement ?? '')),
      );
      await other.query("UPDATE asset SET body = REPLACE(body, 'before', 'after') WHERE id = ?", [id]);
      await other.commit();
      await other.end();
      expect((await redacting).code).toBe(0);
      const { title, redacted } = (await read(registry, { id })).json.data;
      expect([title, redacted.length]).toEqual(['after', 1]);
    });

  it('runs concurrently with writers of the same asset, and loses none of their changes', async () => {
    const owned: Owned = await publish(registry, { description: 'Sonderling' });
    let ended = false;
    const writing = (async (): Promise<number> => {
      for (let i = 1; ; i++) {
        const { status } = await change(registry, owned, { quantity: i });
        if (status !== 200 && status !== 503) throw new Error(`PATCH answered ${status}`);
        if (ended && status === 200) return i;
      }
    })();
    const { code } = await redact(owned.id, '/description').finally(() => (ended = true));
    const last = await writing;
    const { quantity, redacted, description } = (await read(registry, owned)).json.data;
    expect([code, quantity, redacted.length, description]).toEqual([0, last, 1, undefined]);
    const { json } = await registry.send(`${ASSETS}/${owned.id}/history?limit=1000`);
    for (const { dateModified } of json.data) {
      const state = await registry.send(`${ASSETS}/${owned.id}?at=${encodeURIComponent(dateModified)}`);
      expect([state.status, state.text.includes('Sonderling')]).toEqual([200, false]);
    }
  });
});
