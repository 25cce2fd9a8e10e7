import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isBound } from 'asset-registry-tlog';
import { secretDigest } from '../../src/auth/api-key.js';
import { newLogKey } from '../../src/log/log-keys.js';
import { ASSETS, assetBody, change, type Owned } from '../support/assets.js';
import { interruptedRuns, interruptedOnServer } from './interrupted-commands.js';
import { dumpOf } from '../support/canaries.js';
import { command } from '../support/commands.js';
import { databases } from '../support/databases.js';
import { checkpointOf, leafOf, merkleRoot, readLog } from '../support/log-reader.js';
import { readBundles } from '../support/log-verifier.js';
import { newFolder } from '../support/new-folder.js';
import type { Ended } from '../support/process.js';
import { type Reply, TestRegistry } from '../support/registry.js';
import { everythingStored, runSql } from '../support/rows.js';
import { until } from '../support/until.js';

const CANARY = 'kanareika';
/** So many are gone through at once when a field is erased of them. */
const A_PORTION = 16;
const STATES = A_PORTION + 3;
const PUBLIC_STATES = 2;
const REASON = 'на вимогу особи';
/** A restore does much the same for each table, so it is interrupted after every STEP statements only. */
const STEP = 7;

const LOST = [1, expect.stringContaining('the connection breaks')];
/** For these commands the driver reports the lost connection. */
const INTERRUPTED = [1, expect.stringMatching(/Connection lost|ECONNRESET/)];

const nameOf = (databaseUrl: string): string => new URL(databaseUrl).pathname.split('/').at(-1) as string;

describe.each(databases)('on $name, killed after any statement', (kind) => {
  const folder = newFolder();
  const env = {
    LOG_KEY: newLogKey('registry.example.org/log'),
    SEARCH_INDEX: join(folder, 'index.sqlite'),
    SNAPSHOT_FOLDER: join(folder, 'snapshots'),
  };
  let registry: TestRegistry;
  let owned: Owned;
  /** Texts of the log's entries. */
  let entries: string[];
  let before: string;
  let key: string;
  const backup = join(folder, 'backup.sqlite');

  const run = (databaseUrl: string, words: readonly string[]): Promise<Ended> =>
    command(words, { ...env, DATABASE_URL: databaseUrl });
  const count = async (databaseUrl: string, rows: string): Promise<number> => {
    const [row] = (await runSql({ databaseUrl }, `SELECT COUNT(*) AS n FROM ${rows}`)) as { n: number | string }[];
    return Number(row?.n);
  };
  const create = (sender: TestRegistry): Promise<Reply> =>
    sender.send(ASSETS, {
      method: 'POST',
      key: 'broker',
      headers: { 'Idempotency-Key': 'interrupted' },
      body: assetBody({ description: `${CANARY}0` }),
    });
  const serving = async (databaseUrl: string, work: (service: TestRegistry) => Promise<void>): Promise<void> => {
    const service = await TestRegistry.startOn(databaseUrl, env);
    try {
      await work(service);
    } finally {
      await service.close();
    }
  };
  const followed = (service: TestRegistry): Promise<void> =>
    until(async () => {
      const { json } = await service.send(`${ASSETS}/search?limit=1`);
      return json.indexed_up_to === (await service.send(`${ASSETS}/${owned.id}`)).json.data.dateModified;
    });

  beforeAll(async () => {
    registry = await TestRegistry.start(kind, env);
    const { json } = await create(registry);
    owned = { id: json.data.id, token: json.access.token, asset: json.data };
    for (let i = 1; i < STATES; i++) {
      const isPublic = i >= STATES - PUBLIC_STATES;
      const data = { description: `${CANARY}${i}`, ...(isPublic && { status: 'pending' }) };
      expect((await change(registry, owned, data)).status).toBe(200);
    }
    await followed(registry);
    expect((await registry.send(`${ASSETS}/search?q=${CANARY}${STATES - 1}`)).json.total).toBe(1);
    expect((await registry.send(`${ASSETS}/snapshot.jsonl.gz`)).status).toBe(200);
    await checkpointOf(registry, PUBLIC_STATES);
    entries = await readBundles(registry, PUBLIC_STATES);
    await registry.close();
    expect((await run(registry.databaseUrl, ['backup', backup])).code).toBe(0);
    before = await everythingStored(registry);
    [{ id: key }] = (await runSql(registry, 'SELECT MIN(id) AS id FROM api_key')) as [{ id: string }];
  });
  afterAll(() => registry?.drop());

  /** Checks the tables after a committed command. */
  async function expectErased(databaseUrl: string): Promise<void> {
    expect((await everythingStored({ databaseUrl })).includes(CANARY)).toBe(false);
    const rows = ['redaction', "audit WHERE action = 'asset.redact'", 'revision', 'log_entry'];
    const counts = await Promise.all(rows.map((one) => count(databaseUrl, one)));
    expect(counts).toEqual([1, 1, STATES, PUBLIC_STATES]);
  }

  /** Checks a service; other surfaces are tested with erasures. */
  async function expectErasedFor(service: TestRegistry): Promise<void> {
    const { json: now } = await service.send(`${ASSETS}/${owned.id}`);
    expect(now.data.redacted).toEqual([{ pointer: '/description', reason: REASON, at: now.data.dateModified }]);
    await expectProvable(service);
    await followed(service);
    expect((await service.send(`${ASSETS}/search?q=${CANARY}${STATES - 1}`)).json.total).toBe(0);
  }

  /** Checks that the log continues, and that each entry binds the rest of its state. */
  async function expectProvable(service: TestRegistry): Promise<void> {
    const { root, size } = await checkpointOf(service, PUBLIC_STATES + 1);
    const texts = await readBundles(service, size);
    expect(texts.slice(0, PUBLIC_STATES)).toEqual(entries);
    expect(merkleRoot(texts.map(leafOf)).toString('base64')).toBe(root);
    for (const { entry, opening, asset } of await readLog(service)) {
      const { commitment } = JSON.parse(entry) as { commitment: string };
      expect([entry, isBound(asset ?? {}, opening, commitment)]).toEqual([expect.any(String), true]);
      expect(texts).toContain(entry);
    }
  }

  it('an erasure is all or nothing, and is finished by the same command', async () => {
    const redact = (databaseUrl: string): Promise<Ended> => {
      const words = ['redact', owned.id, '--field', '/description', '--reason', REASON];
      return run(databaseUrl, [...words, '--yes', nameOf(databaseUrl)]);
    };
    let last = '';
    for await (const { databaseUrl, isCommitted, ended } of interruptedRuns(registry.databaseUrl, redact, folder)) {
      expect([ended.code, ended.output]).toEqual(kind.name === 'SQLite' ? [0, expect.any(String)] : LOST);
      if (isCommitted) await expectErased(databaseUrl);
      else expect((await everythingStored({ databaseUrl })) === before).toBe(true);
      // A server's database is unchanged, so the next iteration is the repeat.
      if (kind.name !== 'SQLite' && !isCommitted) continue;
      const { code, output } = await redact(databaseUrl);
      expect([code, output]).toEqual([
        0,
        expect.stringContaining(isCommitted ? 'erased before' : `Erased in ${STATES} states`),
      ]);
      await expectErased(databaseUrl);
      expect((await dumpOf(databaseUrl)).includes(CANARY)).toBe(false);
      last = databaseUrl;
    }
    expect(readdirSync(env.SNAPSHOT_FOLDER)).toEqual([]);
    const { output } = await run(last, ['redactions']);
    expect(JSON.parse(output)).toMatchObject({ asset: owned.id, pointers: ['/description'], reason: REASON });
    await serving(last, expectErasedFor);
  });

  /** Audit action, command line, and rows that it makes. */
  it.each([
    [
      'token.reissue',
      () => ['token', 'reissue', owned.id],
      () => `asset WHERE token_digest <> '${secretDigest(owned.token)}'`,
    ],
    ['key.rotate', () => ['key', 'rotate', key], 'api_key WHERE expires_us IS NOT NULL'],
  ])('%s is all or nothing, and may be given again', async (action, words, rows) => {
    const made = typeof rows === 'string' ? rows : rows();
    const audited = `audit WHERE action = '${action}'`;
    const give = (databaseUrl: string): Promise<Ended> => run(databaseUrl, words());
    const counts = (databaseUrl: string): Promise<number[]> =>
      Promise.all([audited, made].map((one) => count(databaseUrl, one)));
    const untouched = await everythingStored(registry);
    for await (const { databaseUrl, isCommitted } of interruptedRuns(registry.databaseUrl, give, folder)) {
      if (isCommitted) expect(await counts(databaseUrl)).toEqual([1, 1]);
      else expect((await everythingStored({ databaseUrl })) === untouched).toBe(true);
      if (kind.name !== 'SQLite' && !isCommitted) continue;
      expect((await give(databaseUrl)).code).toBe(0);
      expect((await counts(databaseUrl))[0]).toBe(isCommitted ? 2 : 1);
    }
  });

  // A file is built next to the old one, and replaces it at the end.
  if (kind.name === 'SQLite') return;

  /** Whether it is whole, so that a service would serve it. */
  const isServed = (databaseUrl: string): Promise<boolean> =>
    count(databaseUrl, 'feed_clock WHERE copying IS NULL').then((rows) => rows === 1);

  it('a restore is served complete or not at all, without fields erased since its backup', async () => {
    const { url, drop } = await kind.create();
    const restore = (databaseUrl: string): Promise<Ended> =>
      run(databaseUrl, ['restore', backup, '--replace', '--yes', nameOf(databaseUrl)]);
    expect((await restore(url)).code).toBe(0);
    expect((await everythingStored({ databaseUrl: url })).includes(CANARY)).toBe(true);
    const words = ['redact', owned.id, '--field', '/description', '--reason', REASON, '--yes', nameOf(url)];
    expect((await run(url, words)).code).toBe(0);
    const served = [];
    for await (const { isLast, ended } of interruptedOnServer(url, restore, STEP)) {
      expect([ended.code, ended.output]).toEqual(
        isLast ? [0, expect.stringContaining('Erasures repeated')] : INTERRUPTED,
      );
      served.push(await isServed(url));
      if (served.at(-1)) expect((await everythingStored({ databaseUrl: url })).includes(CANARY)).toBe(false);
    }
    expect(served).toContain(false);
    expect(served.at(-1)).toBe(true);
    expect(await count(url, 'redaction')).toBe(1);
    await drop();
  });
});
