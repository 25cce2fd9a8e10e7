import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { compare, move as moveBy } from '../../src/database/copy/move.js';
import type { Progress } from '../../src/database/copy/progress.js';
import { ASSETS, change, createIn, publish } from '../support/assets.js';
import { command } from '../support/commands.js';
import { databases, type TestDatabase, type TestDatabaseKind } from '../support/databases.js';
import { addAssets } from '../support/many-assets.js';
import { killMoves } from './killed-moves.js';
import { newFolder } from '../support/new-folder.js';
import { follow } from '../support/pages.js';
import { migrate } from '../support/migrated.js';
import { renewLeasesQuickly } from '../support/quick-leases.js';
import { TestRegistry } from '../support/registry.js';
import { everythingStored, runSql, storedIn as rowsIn } from '../support/rows.js';
import { InterruptingProgress, silent } from '../support/silent-progress.js';

renewLeasesQuickly();

const move = (from: string, to: string, progress: Progress) =>
  moveBy(from, to, progress, { us: Date.now() * 1_000, actor: 'operator:mover' });

/** More rows than are copied before the interruption. */
const ASSETS_MOVED = 3_000;
const FIRST = 'WHERE id = (SELECT id FROM (SELECT MIN(id) AS id FROM asset) AS first)';
const [sqlite, server] = databases as [TestDatabaseKind, TestDatabaseKind];

describe(`registry db move from SQLite to ${server.name} and back`, () => {
  const made: TestDatabase[] = [];
  let from: TestDatabase;
  /** Answers to GET, by path. */
  const answers = new Map<string, string>();
  let stored: string;
  let epoch: string | null;

  async function fresh(kind: TestDatabaseKind): Promise<TestDatabase> {
    const database = await kind.create();
    made.push(database);
    return database;
  }

  async function serving<T>(url: string, work: (registry: TestRegistry) => Promise<T>): Promise<T> {
    const registry = await TestRegistry.startOn(url);
    try {
      return await work(registry);
    } finally {
      await registry.close();
    }
  }

  const answersOf = async (registry: TestRegistry, paths: Iterable<string>): Promise<Map<string, string>> => {
    const texts = new Map<string, string>();
    for (const path of paths) texts.set(path, (await registry.send(path)).text);
    return texts;
  };

  /** A digest of all rows, made in another way than the command's. */
  async function storedIn(databaseUrl: string): Promise<string> {
    const kept = [await everythingStored({ databaseUrl }), await rowsIn({ databaseUrl }, ['clock_witness'])];
    const tables = kept.flatMap((text) => JSON.parse(text) as object[][]);
    // Each move has left a row in the audit.
    const others = tables.map((rows) => rows.filter((row) => (row as { action?: string }).action !== 'db.move'));
    const texts = others.map((rows) => JSON.stringify(rows.map((row) => JSON.stringify(row)).toSorted()));
    return createHash('sha256').update(JSON.stringify(texts.toSorted())).digest('hex');
  }

  beforeAll(async () => {
    from = await fresh(sqlite);
    await migrate(from.url);
    await serving(from.url, async (registry) => {
      for (const status of ['draft', 'pending', 'active', 'complete', 'deleted']) await createIn(registry, status);
      const odd = await publish(registry, { title: `Земля "'\\\` 🚀 %_ \t${'и'.repeat(1_000)} `, description: '' });
      await change(registry, odd, { quantity: 1e-9 });
      await addAssets(from.url, ASSETS_MOVED);
      const entries = await follow(registry, `${ASSETS}?limit=1000&descending=1`);
      const paths = [`${ASSETS}?limit=1000&opt_fields=*`, ...entries.slice(0, 20).map(({ id }) => `${ASSETS}/${id}`)];
      // Links have the port of their service in them.
      for (const [path, text] of await answersOf(registry, paths)) answers.set(path, text.replaceAll(registry.url, ''));
      epoch = (await registry.send(ASSETS)).headers.get('feed-epoch');
    });
    stored = await storedIn(from.url);
  });
  afterAll(async () => {
    for (const database of made) await database.drop();
  });

  it('completes after kill -9 at any point, with the same rows, answers and epoch', async () => {
    const there = await killMoves(from.url, () => fresh(server));
    const half = await TestRegistry.startOn(there.url).catch((error: unknown) => String(error));
    expect(half).toMatch(/incomplete.*run it again/);
    const { code, output } = await command(['db', 'move', from.url, 'env:TARGET_URL'], { TARGET_URL: there.url });
    expect([code, output]).toEqual([0, expect.stringContaining('Moved: every row is the same')]);
    expect((await compare(from.url, there.url, silent)).every(({ equal }) => equal)).toBe(true);
    const back = await killMoves(there.url, () => fresh(sqlite));
    const { comparisons } = await move(there.url, back.url, silent);
    expect(comparisons.find(({ table }) => table === 'asset')?.sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(await storedIn(back.url)).toBe(stored);
    for (const { url } of [there, back]) {
      await serving(url, async (registry) => {
        const now = await answersOf(registry, answers.keys());
        for (const [path, text] of now) expect(text.replaceAll(registry.url, '')).toBe(answers.get(path));
        expect((await registry.send(ASSETS)).headers.get('feed-epoch')).toBe(epoch);
      });
    }
  });

  it.each(databases)(
    'interrupted on the way to $name, continues after the last row, or from the start if a row was damaged',
    async (kind) => {
      const to = await fresh(kind);
      await expect(move(from.url, to.url, new InterruptingProgress('copy asset', 2_500))).rejects.toThrow(
        'interrupted',
      );
      await runSql({ databaseUrl: to.url }, `UPDATE asset SET status = 'pendinG' ${FIRST}`);
      const steps: string[] = [];
      const first = new Map<string, number>();
      const going = move(from.url, to.url, {
        begin: (step) => void steps.push(step),
        reach: (done) => void first.set(String(steps.at(-1)), first.get(String(steps.at(-1))) ?? done),
        end: () => undefined,
      });
      await expect(going).rejects.toThrow(/The digests differ: asset \(3006 and 3006 rows\)/);
      expect(first.get('copy asset')).toBeGreaterThanOrEqual(2_500);
      expect(steps.at(-1)).toMatch(/^compare/);
      await expect(TestRegistry.startOn(to.url)).rejects.toThrow(/incomplete/);
      await move(from.url, to.url, silent);
      await runSql({ databaseUrl: to.url }, `UPDATE account SET name = 'x' WHERE name = 'broker'`);
      const verified = await command(['db', 'verify', from.url, to.url], {});
      expect([verified.code, verified.output]).toEqual([1, expect.stringMatching(/digests differ: account \(4 and 4/)]);
    },
  );

  describe.each(databases)('is refused on $name', (kind) => {
    it('while a service uses the source or the target', async () => {
      const [used, other] = [await fresh(kind), await fresh(sqlite)];
      await migrate(used.url);
      const registry = await TestRegistry.startOn(used.url);
      const sentence =
        kind.name === 'SQLite'
          ? /Another process serves .*: end that process first/
          : /is served by process .*: stop the services/;
      await expect(move(used.url, other.url, silent)).rejects.toThrow(sentence);
      await expect(move(from.url, used.url, silent)).rejects.toThrow(sentence);
      await registry.close();
    });
  });

  it('is refused into a database that contains data, has been in use, or is incomplete', async () => {
    const to = await fresh(server);
    await migrate(to.url);
    const sql = (text: string): Promise<unknown> => runSql({ databaseUrl: to.url }, text);
    await sql(`INSERT INTO account (id, name, role, created_us) VALUES ('a', 'a', 'broker', 0)`);
    await expect(move(from.url, to.url, silent)).rejects.toThrow(
      /contains data \(1 rows in account\): give the move an/,
    );
    await sql('DELETE FROM account');
    await sql('UPDATE feed_clock SET last_us = 5');
    await expect(move(from.url, to.url, silent)).rejects.toThrow(/has been in use: give the move an empty/);
    for (const copying of ['restore', `move ${'0'.repeat(32)} 5`]) {
      await sql(`UPDATE feed_clock SET last_us = 0, copying = '${copying}'`);
      await expect(move(from.url, to.url, silent)).rejects.toThrow(/is incomplete after another restore or move/);
    }
  });

  it('is refused from half a copy, and when the source is written to meanwhile', async () => {
    const [source, to] = [await fresh(server), await fresh(sqlite)];
    await migrate(source.url);
    const sql = (text: string): Promise<unknown> => runSql({ databaseUrl: source.url }, text);
    await sql(`UPDATE feed_clock SET copying = 'restore'`);
    await expect(move(source.url, to.url, silent)).rejects.toThrow(/incomplete/);
    await sql('UPDATE feed_clock SET copying = NULL');
    await serving(source.url, (registry) => publish(registry));
    await addAssets(source.url, 2_000);
    let changed: unknown;
    const write = (): unknown => sql('UPDATE feed_clock SET last_us = last_us + 7');
    const meddling = { ...silent, begin: () => void (changed ??= write()) };
    await expect(move(source.url, to.url, meddling)).rejects.toThrow(/was written to meanwhile: stop the services/);
    await changed;
    await move(source.url, to.url, silent);
  });

  it('into a file that is no database is refused, and names it', async () => {
    const folder = newFolder();
    const text = join(folder, 'text');
    writeFileSync(text, 'a line of text, and by no means a database');
    await expect(move(from.url, `sqlite:${text}`, silent)).rejects.toThrow(`${text} cannot be written: file is not`);
  });

  it('reports that it creates a folder, because the path may be wrong', async () => {
    const folder = newFolder();
    const target = `sqlite:${join(folder, 'not/there/file.sqlite')}`;
    const source = await fresh(sqlite);
    await migrate(source.url);
    const said = `A new folder was made, ${join(folder, 'not/there')}: `;
    const { code, output } = await command(['db', 'move', source.url, target], {});
    expect([code, output]).toEqual([0, expect.stringContaining(said)]);
    expect((await command(['db', 'move', source.url, target], {})).output).not.toContain(said);
  });

  it('onto itself, or with an invalid URL, is refused', async () => {
    await expect(move(from.url, from.url, silent)).rejects.toThrow(/the same database/);
    const { code, output } = await command(['db', 'move', from.url, 'postgres://x'], {});
    expect([code, output]).toEqual([
      1,
      expect.stringMatching(/The URL of a database must be sqlite:<path of a file> or mysql:/),
    ]);
  });
});
