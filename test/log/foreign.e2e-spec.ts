import { execFile } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findProgram } from '../../scripts/machine/find-program.js';
import { newLogKey } from '../../src/log/log-keys.js';
import { ASSETS, change, createFrom, type Owned, publish } from '../support/assets.js';
import { command } from '../support/commands.js';
import { databases, type TestDatabase, type TestDatabaseKind } from '../support/databases.js';
import { largestBody } from '../support/large-asset.js';
import { checkpointOf, LOG, readCheckpoint, type SeenCheckpoint } from '../support/log-reader.js';
import { addAssets } from '../support/many-assets.js';
import { migrate } from '../support/migrated.js';
import { TestRegistry } from '../support/registry.js';
import { runSql } from '../support/rows.js';

const run = promisify(execFile);
/** Folder of Debian's golang-golang-x-mod-dev, the library that verifies Go's checksum database. */
const SOURCES = '/usr/share/gocode';
/** Two tiles that are full, and a part of one. */
const ENTRIES = 600;

interface Judged {
  code: number;
  output: string;
}

/** @returns the program; undefined where it cannot be built on this machine */
async function builtVerifier(): Promise<string | undefined> {
  const go = findProgram('go');
  if (go === undefined || !existsSync(join(SOURCES, 'src/golang.org/x/mod/sumdb/tlog'))) {
    console.warn('NOT TRIED: the verifier in Go, because this machine lacks golang-go and golang-golang-x-mod-dev');
    return undefined;
  }
  const program = join(process.env.TEST_FOLDER as string, 'verify-log');
  const env = { ...process.env, GO111MODULE: 'off', GOPATH: SOURCES };
  await run(go, ['build', '-o', program, 'test/log/foreign/verify.go'], { env });
  return program;
}

// Tiles and proofs are made of rows in the same way on every database.
describe('a verifier with Go’s sumdb, which knows nothing of the registry, on SQLite', () => {
  let database: TestDatabase;
  let registry: TestRegistry;
  let program: string | undefined;
  let key: string;
  let epoch: string;
  let seen: SeenCheckpoint;
  let owned: Owned;

  beforeAll(async () => {
    program = await builtVerifier();
    database = await (databases[0] as TestDatabaseKind).create();
    await migrate(database.url);
    const before = await TestRegistry.startOn(database.url);
    owned = await publish(before, { title: 'Sonderling' });
    await before.close();
    await addAssets(database.url, ENTRIES - 1);
    registry = await TestRegistry.startOn(database.url, {
      BODY_LIMIT: '1mb',
      LOG_KEY: newLogKey('registry.example.org/log'),
    });
    seen = await checkpointOf(registry, ENTRIES);
    await change(registry, owned, { title: 'grown' });
    await checkpointOf(registry, ENTRIES + 1);
    epoch = seen.origin.split('/').at(-1) as string;
    key = ((await registry.send('/api/0.1/spore')).json as { log: { publicKey: string } }).log.publicKey;
  });
  afterAll(async () => {
    await registry?.close();
    await database?.drop();
  });

  /** Without the program, what is expected. */
  const judged = async (words: readonly string[], otherwise: Judged): Promise<Judged> => {
    if (program === undefined) return otherwise;
    try {
      return { code: 0, output: (await run(program, words)).stdout };
    } catch (error) {
      const { code, stderr } = error as { code: number; stderr: string };
      return { code, output: stderr };
    }
  };
  const verified = (old: Pick<SeenCheckpoint, 'size' | 'root'>, otherwise: Judged): Promise<Judged> =>
    judged([`${registry.url}${LOG}/${epoch}`, key, String(old.size), old.root], otherwise);
  const checked = (proof: string, otherwise: Judged): Promise<Judged> => {
    const file = join(process.env.TEST_FOLDER as string, 'a.tlog-proof');
    writeFileSync(file, proof);
    return judged(['proof', file, key], otherwise);
  };
  const refused = { code: 1, output: expect.stringMatching(/inconsistent tile|is not in the tree/) };

  it('verifies that the log only grew, and that it has each entry', async () => {
    const { size, root } = await readCheckpoint(registry);
    const expected = { code: 0, output: `${size} ${root}\n` };
    expect(await verified(seen, expected)).toEqual(expected);
  });

  it('finds that it has not grown from another log', async () => {
    const expected = { code: 1, output: 'invalid transparency proof\n' };
    for (const size of [1, 256, ENTRIES])
      expect(await verified({ size, root: Buffer.alloc(32, size).toString('base64') }, expected)).toEqual(expected);
  });

  it('finds that it was cut', async () => {
    const { size, root } = await readCheckpoint(registry);
    const output = `the log was cut: it has ${size} entries, and had ${size + 1}\n`;
    expect(await verified({ size: size + 1, root }, { code: 1, output })).toEqual({ code: 1, output });
  });

  it.each([
    [
      'an entry of a full tile',
      'log_entry',
      'created_us = created_us + 1',
      'created_us = created_us - 1',
      'place = 10',
    ],
    [
      'the newest entry',
      'log_entry',
      'created_us = created_us + 1',
      'created_us = created_us - 1',
      `place = ${ENTRIES}`,
    ],
  ])('finds %s changed', async (_, table, spoil, mend, where) => {
    await runSql(registry, `UPDATE ${table} SET ${spoil} WHERE ${where}`);
    expect(await verified(seen, { code: 1, output: 'inconsistent tile' })).toEqual(refused);
    await runSql(registry, `UPDATE ${table} SET ${mend} WHERE ${where}`);
  });

  it('finds the hash of a full tile changed', async () => {
    const [row] = (await runSql(registry, 'SELECT hash FROM log_node WHERE level = 1 AND place = 1')) as {
      hash: string;
    }[];
    const set = (hash: string | undefined): Promise<unknown> =>
      runSql(registry, 'UPDATE log_node SET hash = ? WHERE level = 1 AND place = 1', [hash]);
    await set(Buffer.alloc(32).toString('base64'));
    expect(await verified(seen, { code: 1, output: 'inconsistent tile' })).toEqual(refused);
    await set(row?.hash);
    const { size, root } = await readCheckpoint(registry);
    const expected = { code: 0, output: `${size} ${root}\n` };
    expect(await verified(seen, expected)).toEqual(expected);
  });

  const proofOf = async (at = ''): Promise<string> =>
    (await registry.send(`${ASSETS}/${owned.id}/proof${at && `?at=${encodeURIComponent(at)}`}`)).text;
  const extraOf = (proof: string): { entry: string; opening: object } =>
    JSON.parse(Buffer.from(/^extra (.*)$/m.exec(proof)?.[1] ?? '', 'base64').toString()) as ReturnType<typeof extraOf>;
  const taken = (place: number, proof: string): Judged => ({ code: 0, output: `${place} ${extraOf(proof).entry}\n` });

  it('verifies the proofs of the present state, of a former one and of one with an erased field, from the file alone', async () => {
    const former = owned.asset['dateModified'];
    const [early, late] = [await proofOf(former), await proofOf()];
    expect(await checked(early, taken(ENTRIES - 1, early))).toEqual(taken(ENTRIES - 1, early));
    expect(await checked(late, taken(ENTRIES, late))).toEqual(taken(ENTRIES, late));
    const name = new URL(registry.databaseUrl).pathname.split('/').at(-1) as string;
    const words = ['redact', owned.id, '--field', '/title', '--reason', 'r', '--yes', name];
    expect(await command(words, { DATABASE_URL: registry.databaseUrl })).toMatchObject({ code: 0 });
    const erased = await proofOf(former);
    expect(extraOf(erased)).toEqual({
      entry: extraOf(early).entry,
      opening: expect.objectContaining({ erased: expect.anything() }),
    });
    for (const proof of [early, erased])
      expect(await checked(proof, taken(ENTRIES - 1, early))).toEqual(taken(ENTRIES - 1, early));
  });

  it('verifies the proof of the largest asset after an erasure, because none of its lines is too long', async () => {
    const large = await createFrom(registry, largestBody());
    const { json } = await change(registry, large, { status: 'pending' });
    await checkpointOf(registry, ENTRIES + 3);
    const name = new URL(registry.databaseUrl).pathname.split('/').at(-1) as string;
    for (const [i, pointer] of ['/items/200/address/region', '/assetCustodian'].entries()) {
      const words = ['redact', large.id, '--field', pointer, '--reason', 'r', '--yes', name];
      expect(await command(words, { DATABASE_URL: registry.databaseUrl })).toMatchObject({ code: 0 });
      await checkpointOf(registry, ENTRIES + 4 + i);
      const at = encodeURIComponent(json.data.dateModified);
      const { text } = await registry.send(`${ASSETS}/${large.id}/proof?at=${at}`);
      expect(Math.max(...text.split('\n').map(({ length }) => length))).toBeLessThan(64 * 1024);
      expect(await checked(text, taken(ENTRIES + 2, text))).toEqual(taken(ENTRIES + 2, text));
    }
  });

  it('refuses a proof that was changed', async () => {
    const proof = await proofOf(owned.asset['dateModified']);
    const [head, size] = [proof.slice(0, proof.indexOf('\n\n')), /^\d+$/m.exec(proof)?.[0]];
    const hash = head.split('\n').at(-1) as string;
    const extra = extraOf(proof);
    const { entry } = extra;
    const other = Buffer.from(JSON.stringify({ ...extra, entry: entry.replace('T', 't') })).toString('base64');
    const notProved = { code: 1, output: 'invalid transparency proof\n' };
    const notSigned = {
      code: 1,
      output: expect.stringMatching(/^invalid signature|^note has no verifiable signatures/),
    };
    for (const [changed, expected] of [
      [proof.replace(/^extra .*$/m, `extra ${other}`), notProved],
      [proof.replace(/^index \d+$/m, 'index 1'), notProved],
      [proof.replace(hash, Buffer.alloc(32).toString('base64')), notProved],
      [proof.replace(`${hash}\n`, ''), notProved],
      [proof.replace(`\n${size}\n`, `\n${Number(size) + 1}\n`), notSigned],
    ] as const) {
      expect(changed).not.toBe(proof);
      const otherwise = { code: 1, output: expected === notProved ? notProved.output : 'invalid signature' };
      expect(await checked(changed, otherwise)).toEqual(expected);
    }
  });
});
