import { readdirSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from '@jest/globals';
import Sqlite from 'embedded-sqlite';
import { ASSETS, assetBody, change, changeAs, type JsonObject, LOT, type Owned, read } from '../support/assets.js';
import { dumpOf } from '../support/canaries.js';
import { command } from '../support/commands.js';
import { databases } from '../support/databases.js';
import { expectError } from '../support/errors.js';
import { newFolder } from '../support/new-folder.js';
import { follow } from '../support/pages.js';
import { type Reply, TestRegistry } from '../support/registry.js';
import { servedRegistry } from '../support/served-registry.js';
import { everythingStored } from '../support/rows.js';
import { until } from '../support/until.js';

/** Erased texts by field, which must appear nowhere afterwards; each state appends other digits. */
const CANARIES = { description: 'kanareikaopys', region: 'kanareikaoblast', telephone: 'kanareikatelefon' };
const ANY = 'kanareika';
const POINTERS = ['/description', '/address/region', '/assetCustodian/contactPoint/telephone'];
const REASON = 'на вимогу особи';
const KEY = 'erasure-1';
/** More than one batch. */
const VERSIONS = 30;

/** Compared as a boolean, so that a failure does not print all bytes. */
const isIn = (text: string): boolean => text.includes(ANY);

type Printed = JsonObject & { dateModified: string; redacted?: { pointer: string; reason: string; at: string }[] };

const fieldsAt = (i: number): JsonObject => ({
  quantity: i,
  description: `Опис ${CANARIES.description}${i} і далі`,
  address: { countryName: 'Україна', region: `${CANARIES.region}${i}` },
  assetCustodian: {
    ...(assetBody().data['assetCustodian'] as JsonObject),
    contactPoint: { name: 'Довідка', telephone: `+380 ${CANARIES.telephone}${i}` },
  },
});

describe.each(databases)(`the erasure of fields of an asset with ${VERSIONS} versions on $name`, (kind) => {
  const folder = newFolder();
  const index = join(folder, 'index.sqlite');
  const oldBackup = join(folder, 'old-backup.sqlite');
  const env = { SEARCH_INDEX: index, SNAPSHOT_FOLDER: join(folder, 'snapshots'), SNAPSHOT_MAX_AGE: '86400' };
  const registry = servedRegistry(kind, env);
  let owned: Owned;
  let before: string[];
  let printed: string;

  const send = (path: string): Promise<Reply> => registry.send(path);
  const run = (...words: string[]) => command(words, { DATABASE_URL: registry.databaseUrl, ...env });
  const post = (): Promise<Reply> =>
    registry.send(ASSETS, {
      method: 'POST',
      key: 'broker',
      headers: { 'Idempotency-Key': KEY },
      body: assetBody(fieldsAt(0)),
    });
  const at = async (instant: string): Promise<Printed> => {
    const reply = await send(`${ASSETS}/${owned.id}?at=${encodeURIComponent(instant)}`);
    expect(reply.status).toBe(200);
    return reply.json.data as Printed;
  };
  const instants = async (): Promise<string[]> => {
    const states = await follow(registry, `${ASSETS}/${owned.id}/history?limit=100`);
    return states.map(({ dateModified }) => dateModified);
  };
  const snapshot = async (): Promise<string> => {
    const response = await fetch(`${registry.url}${ASSETS}/snapshot.jsonl.gz`);
    return gunzipSync(Buffer.from(await response.arrayBuffer())).toString();
  };
  const followed = (): Promise<void> =>
    until(async () => {
      const { json } = await send(`${ASSETS}/search?limit=1`);
      return json.indexed_up_to === (await read(registry, owned)).json.data.dateModified;
    });
  const nameOfDatabase = (): string => new URL(registry.databaseUrl).pathname.split('/').at(-1) as string;

  beforeAll(async () => {
    const created = await post();
    owned = { id: created.json.data.id, token: created.json.access.token, asset: created.json.data };
    for (let i = 1; i < VERSIONS; i++)
      expect((await change(registry, owned, { ...fieldsAt(i), ...(i === 3 && { status: 'pending' }) })).status).toBe(
        200,
      );
    before = await instants();
    await followed();
    expect(await snapshot()).toContain(ANY);
    expect((await run('backup', oldBackup)).code).toBe(0);
    expect(isIn(readFileSync(oldBackup, 'latin1'))).toBe(true);
    expect(wordsOf(index)).toContainEqual(expect.stringContaining(ANY));
    const began = performance.now();
    const fields = POINTERS.flatMap((pointer) => ['--field', pointer]);
    const words = ['redact', owned.asset.assetID, ...fields, '--reason', REASON, '--yes', nameOfDatabase()];
    const { code, output } = await run(...words);
    expect([code, output]).toEqual([0, expect.any(String)]);
    expect(performance.now() - began).toBeLessThan(60_000);
    printed = output;
  }, 600_000);

  it('has them in no table and no file of its database', async () => {
    expect(printed).toContain(`Erased in ${VERSIONS} states`);
    expect(isIn(await everythingStored(registry))).toBe(false);
    expect(isIn(await dumpOf(registry.databaseUrl))).toBe(false);
  });

  it('is recorded in every state, and keeps all else', async () => {
    const states = await instants();
    expect(states.slice(0, -1)).toEqual(before);
    for (const instant of [...states.slice(0, 20), ...states.slice(-20)]) {
      const { redacted, ...state } = await at(instant);
      expect(redacted?.map(({ pointer, reason }) => [pointer, reason])).toEqual(POINTERS.map((one) => [one, REASON]));
      expect(new Set(redacted?.map((one) => one.at))).toEqual(new Set([states.at(-1)]));
      expect(state['address']).toEqual({ countryName: 'Україна' });
      expect(JSON.stringify(state)).not.toContain(ANY);
    }
    const { text } = await read(registry, owned);
    expect(text).toContain('"valueAddedTaxIncluded":');
    expect(text).toMatch(/"redacted":\[\{"pointer":"\/description".*\}\],"owner":"broker"/);
  });

  it('shows its history, its pages and the feed without them', async () => {
    const page = `/assets/${owned.asset.assetID}`;
    const paths = [
      `${ASSETS}/${owned.id}/history`,
      `${ASSETS}?opt_fields=*`,
      page,
      `${page}?lang=en`,
      '/',
      '/changes.atom',
    ];
    for (const path of paths) expect((await send(path)).text).not.toContain(ANY);
    const newest = (await send(`${ASSETS}?descending=1&limit=1`)).json.data[0];
    expect(newest).toEqual({ id: owned.id, dateModified: (await instants()).at(-1) });
    const { json } = await send(`${ASSETS}/${owned.id}/history?descending=1&limit=1`);
    expect(json.data[0].changed).toEqual(['description', 'address', 'assetCustodian']);
    expect((await send(page)).text).toMatch(/<h2 id="erased">[^<]*<\/h2>[^]*\/description[^]*на вимогу особи/);
    expect((await send(`${page}?lang=en`)).text).toMatch(/class="change">\s*Erased:/);
  });

  it('gives a past state another ETag', async () => {
    const path = `${ASSETS}/${owned.id}?at=${encodeURIComponent(before[0] as string)}`;
    const etag = (await send(path)).headers.get('etag') as string;
    expect(etag).toMatch(/^"[0-9a-z]+(\.-?[0-9a-z]+){3}"$/);
    expect((await registry.send(path, { headers: { 'If-None-Match': etag } })).status).toBe(304);
    expect((await registry.send(path, { headers: { 'If-None-Match': etag.replace(/\.[^.]*$/, '"') } })).status).toBe(
      200,
    );
  });

  it('leaves a search, and nothing in the file of its index', async () => {
    await followed();
    expect((await send(`${ASSETS}/search?q=${CANARIES.description}`)).json.total).toBe(0);
    expect((await send(`${ASSETS}/search?q=${owned.asset.assetID}`)).json.total).toBe(1);
    expect(wordsOf(index).filter((word) => word.includes(ANY.slice(0, 5)))).toEqual([]);
    const files = readdirSync(folder).filter((name) => name.startsWith('index.sqlite'));
    for (const name of files) expect(isIn(readFileSync(join(folder, name), 'latin1'))).toBe(false);
  });

  it('is in no snapshot and no new backup with them', async () => {
    expect(readdirSync(env.SNAPSHOT_FOLDER)).toEqual([]);
    expect(await snapshot()).not.toContain(ANY);
    const backup = join(folder, 'new-backup.sqlite');
    expect((await run('backup', backup)).code).toBe(0);
    expect(isIn(await readFile(backup, 'latin1'))).toBe(false);
  });

  it('creates nothing for a request that is repeated', async () => {
    expectError(await post(), 422, 'header', 'Idempotency-Key');
  });

  it('can be changed, and get a new value of the field', async () => {
    const moved = await changeAs(registry, 'concierge', owned.id, { status: 'active', relatedLot: LOT });
    expect(moved.status).toBe(200);
    expect(moved.json.data.redacted).toHaveLength(POINTERS.length);
    expect((await changeAs(registry, 'concierge', owned.id, { status: 'pending' })).status).toBe(200);
    const again = await change(registry, owned, { description: 'Новий опис', address: { region: 'Київ' } });
    expect(again.json.data).toMatchObject({ description: 'Новий опис', address: { region: 'Київ' } });
    expect(again.json.data.redacted).toHaveLength(POINTERS.length);
    expectError(await change(registry, owned, { redacted: null }), 403, 'body', 'redacted');
    expect((await change(registry, owned, { redacted: again.json.data.redacted })).status).toBe(200);
  });

  it('is erased again when an older backup is restored', async () => {
    const target = await kind.create();
    const journal = await run('redactions');
    expect(JSON.parse(journal.output)).toEqual({
      at: expect.any(String),
      asset: owned.id,
      pointers: POINTERS,
      reason: REASON,
    });
    const file = join(folder, 'journal.jsonl');
    await writeFile(file, journal.output);
    const restored = await command(['restore', oldBackup, '--redactions', file], {
      DATABASE_URL: target.url,
      ...env,
    });
    expect([restored.code, restored.output]).toEqual([0, expect.stringContaining('Erasures repeated')]);
    expect(isIn(await dumpOf(target.url))).toBe(false);
    await target.drop();
  });

  it('warns at a restore into a database without records of erasures', async () => {
    const target = await kind.create();
    const restored = await command(['restore', oldBackup], { DATABASE_URL: target.url, ...env });
    expect([restored.code, restored.output]).toEqual([0, expect.stringMatching(/--replace --redactions FILE/)]);
    await target.drop();
  });

  it('is erased again by the journal of the database that is replaced', async () => {
    await registry.close();
    const { databaseUrl } = registry;
    const restored = await run('restore', oldBackup, '--replace', '--yes', nameOfDatabase());
    expect([restored.code, restored.output]).toEqual([0, expect.stringContaining('Erasures repeated')]);
    expect(restored.output).not.toContain('--redactions FILE');
    expect(isIn(await dumpOf(databaseUrl))).toBe(false);
    const served = await TestRegistry.startOn(databaseUrl, env);
    const { json } = await served.send(`${ASSETS}/${owned.id}`);
    await served.close();
    expect(json.data.redacted).toHaveLength(POINTERS.length);
  });
});

/** The terms of an index, those of deleted entries too. */
function wordsOf(path: string): string[] {
  const index = new Sqlite(path);
  try {
    index.exec("CREATE VIRTUAL TABLE temp.terms USING fts5vocab('main', 'words', 'row')");
    return index.prepare('SELECT term FROM temp.terms').pluck().all() as string[];
  } finally {
    index.close();
  }
}
