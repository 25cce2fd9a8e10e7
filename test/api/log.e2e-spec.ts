import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ForkedLogError, LogPublisher } from '../../src/log/log-publisher.js';
import { newLogKey } from '../../src/log/log-keys.js';
import { ASSETS, change, create, type Owned, publish } from '../support/assets.js';
import { databases, embedded, type TestDatabase } from '../support/databases.js';
import { expectError } from '../support/errors.js';
import { loadServiceHere } from '../support/loaded-service.js';
import {
  checkpointIn,
  checkpointOf,
  commitmentOf,
  hasSigned,
  leafOf,
  LOG,
  merkleRoot,
  readCheckpoint,
  readLog,
  sha256,
} from '../support/log-reader.js';
import { migrate } from '../support/migrated.js';
import { TestRegistry } from '../support/registry.js';
import { runSql } from '../support/rows.js';
import { until } from '../support/until.js';

loadServiceHere();

const NAME = 'registry.example.org/log';
const LOG_KEY = newLogKey(NAME);

describe.each(embedded)('the log of public states on $name', (kind) => {
  let database: TestDatabase;
  let registry: TestRegistry;
  let changed: Owned;
  const bytes = async (path: string): Promise<Buffer> =>
    Buffer.from(await (await fetch(`${registry.url}${LOG}/${path}`)).arrayBuffer());

  beforeAll(async () => {
    database = await kind.create();
    await migrate(database.url);
    // Before the log had a key: existing assets are logged as well.
    const before = await TestRegistry.startOn(database.url);
    changed = await publish(before, { title: 'one' });
    await change(before, changed, { title: 'two' });
    await publish(before);
    await create(before);
    await before.close();
    registry = await TestRegistry.startOn(database.url, { LOG_KEY, TIME_ZONE: 'America/New_York' });
    await checkpointOf(registry, 3);
  });
  afterAll(async () => {
    await registry?.close();
    await database?.drop();
  });

  it('has an entry for each public state, in the order of the feed, and none for a draft', async () => {
    const { size } = await readCheckpoint(registry);
    await change(registry, changed, { title: 'three' });
    await change(registry, changed, { title: 'four' });
    await checkpointOf(registry, size + 2);
    const entries = await readLog(registry, 2);
    expect(entries.map(({ place }) => place)).toEqual(Array.from({ length: size + 2 }, (_, place) => place));
    expect(entries.filter(({ asset }) => asset?.['id'] === changed.id).map(({ asset }) => asset?.['title'])).toEqual([
      'one',
      'two',
      'three',
      'four',
    ]);
    const instants = entries.map(({ entry }) => (JSON.parse(entry) as { dateModified: string }).dateModified);
    expect(instants).toEqual(instants.toSorted());
  });

  it('has the id and dates in UTC, and binds all else by its commitment', async () => {
    for (const { entry, opening, asset } of await readLog(registry)) {
      const { id, date, dateModified, commitment } = JSON.parse(entry) as Record<string, string>;
      const state = asset as Record<string, string>;
      expect(Object.keys(JSON.parse(entry) as object)).toEqual(['id', 'date', 'dateModified', 'commitment']);
      expect([date, dateModified].every((text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/.test(String(text)))).toBe(
        true,
      );
      expect(id).toBe(state['id']);
      expect(Date.parse(String(dateModified))).toBe(Date.parse(String(state['dateModified'])));
      expect(Date.parse(String(date))).toBe(Date.parse(String(state['date'])));
      expect(commitmentOf(state, (opening as { secret: string }).secret)).toBe(commitment);
    }
  });

  it('has a different secret of 32 bytes for each entry, although several are appended at once', async () => {
    const secrets = (await readLog(registry)).map(({ opening }) => (opening as { secret: string }).secret);
    expect(new Set(secrets).size).toBe(secrets.length);
    expect(secrets.map((secret) => Buffer.from(secret, 'base64').length)).toEqual(secrets.map(() => 32));
  });

  it('signs its size and root with the key of the service description', async () => {
    const { log } = (await registry.send('/api/0.1/spore')).json;
    const { origin, root, note, size } = await readCheckpoint(registry);
    const { headers } = await registry.send(`${LOG}/checkpoint`);
    expect(headers.get('Content-Type')).toBe('text/plain; charset=utf-8');
    expect(origin).toMatch(new RegExp(`^${NAME}/[0-9a-f]{32}$`));
    expect(log).toEqual({ origin, publicKey: expect.stringContaining(`${origin}+`), publicKeys: [log.publicKey] });
    expect(hasSigned(log.publicKey as string, note)).toBe(true);
    expect(hasSigned(log.publicKey as string, note.replace(`\n${size}\n`, `\n${size + 1}\n`))).toBe(false);
    const leaves = (await readLog(registry)).map(({ entry }) => leafOf(entry));
    expect(merkleRoot(leaves).toString('base64')).toBe(root);
  });

  it('serves the hashes and the entries as tiles that never change below the epoch', async () => {
    const epoch = (await readCheckpoint(registry)).origin.split('/').at(-1) as string;
    const entries = (await readLog(registry)).map(({ entry }) => entry);
    const width = entries.length;
    expect(await bytes(`tile/0/000.p/${width}`)).toEqual(Buffer.concat(entries.map(leafOf)));
    expect(await bytes(`tile/0/000.p/2`)).toEqual(Buffer.concat(entries.slice(0, 2).map(leafOf)));
    const bundle = await bytes(`tile/entries/000.p/${width}`);
    const [first = ''] = entries;
    expect(bundle.readUInt16BE()).toBe(Buffer.byteLength(first));
    expect(bundle.subarray(2, 2 + first.length).toString()).toBe(first);
    const kept = await Promise.all(
      [`${LOG}/tile/0/000.p/1`, `${LOG}/${epoch}/tile/0/000.p/1`].map((path) => registry.send(path)),
    );
    expect(kept.map(({ headers }) => headers.get('Content-Type'))).toEqual(Array(2).fill('application/octet-stream'));
    expect(kept.map(({ headers }) => headers.get('Cache-Control'))).toEqual([
      'no-cache',
      'public, max-age=31536000, immutable',
    ]);
  });

  it('is the same below its epoch as without one, and 404 below another', async () => {
    const { origin, note, size } = await readCheckpoint(registry);
    const own = `${LOG}/${origin.slice(NAME.length + 1)}`;
    expect((await registry.send(`${own}/checkpoint`)).text).toBe(note);
    const { json } = await registry.send(`${own}/assets?limit=1`);
    expect(json.next_page).toMatchObject({ from: 1, path: `${own}/assets?from=1&limit=1` });
    expect({ ...json, next_page: 0 }).toEqual({
      ...(await registry.send(`${LOG}/assets?limit=1`)).json,
      next_page: 0,
    });
    expectError(await registry.send(`${own}/assets?from=x`), 400, 'header', 'from');
    for (const path of ['checkpoint', `tile/0/000.p/${size}`, 'assets'])
      expectError(await registry.send(`${LOG}/${'0'.repeat(32)}/${path}`), 404, 'header', 'path');
  });

  it.each(['tile/0/000', 'tile/0/000.p/255', 'tile/x/000', 'x'])('has no %s', async (path) => {
    expectError(await registry.send(`${LOG}/${path}`), 404, 'header', 'path');
  });

  it.each(['-1', '1&from=2', '9'.repeat(16)])('refuses to begin at %s', async (from) => {
    expectError(await registry.send(`${LOG}/assets?from=${from}`), 400, 'header', 'from');
  });

  it('is empty after its end, and links to continue from there', async () => {
    const { size } = await readCheckpoint(registry);
    const { json } = await registry.send(`${LOG}/assets?from=${size}`);
    expect(json).toMatchObject({ data: [], size, next_page: { from: size, path: `${LOG}/assets?from=${size}` } });
    expect((await registry.send(`${LOG}/assets?from=1000000`)).json.data).toEqual([]);
  });

  it('proves each state that there was', async () => {
    for (const { place, entry, opening, asset } of await readLog(registry)) {
      const { id, dateModified } = asset as Record<string, string>;
      const at = encodeURIComponent(String(dateModified));
      const { status, text, headers } = await registry.send(`${ASSETS}/${id}/proof?at=${at}`);
      expect([status, headers.get('Content-Type')]).toEqual([200, 'text/plain; charset=utf-8']);
      const [proof, note] = [text.slice(0, text.indexOf('\n\n')), text.slice(text.indexOf('\n\n') + 2)];
      const [version, extra = '', index = '', ...path] = proof.split('\n');
      expect(version).toBe('c2sp.org/tlog-proof@v1');
      expect(JSON.parse(Buffer.from(extra.slice('extra '.length), 'base64').toString())).toEqual({ entry, opening });
      expect(index).toBe(`index ${place}`);
      const { size, root } = await checkpointOf(registry, Number(note.split('\n')[1]));
      expect(rootBy(path, place, size, leafOf(entry))).toBe(root);
    }
    const newest = await registry.send(`${ASSETS}/${changed.id}/proof`);
    expect(newest.text.length).toBeLessThan(2_048);
  });

  it('is linked on the page of an asset', async () => {
    const { headers } = await registry.send(`/assets/${changed.id}`, { headers: { Accept: 'text/html' } });
    expect(headers.get('Content-Type')).toMatch('text/html');
    const { place } = (await readLog(registry)).findLast(({ asset }) => asset?.['id'] === changed.id) ?? {};
    const { text } = await registry.send(`/assets/${changed.id}`, { headers: { 'Accept-Language': 'en' } });
    expect(text).toContain(`Position in the log: <b>${place}</b>`);
    expect(text).toContain(`href="${ASSETS}/${changed.id}/proof"`);
    for (const language of ['en', 'uk'])
      expect((await registry.send(`/assets/${changed.id}`, { headers: { 'Accept-Language': language } })).text).toMatch(
        /check-proof\.py[\s\S]* C2SP tlog-proof.*:\s*<a href="\/api\/0\.1\/spore">/,
      );
    expect(text).toContain('href="/check-proof.py"');
    expect(text).toContain(`<a download="asset.json" href="${ASSETS}/${changed.id}">`);
    const script = await registry.send('/check-proof.py');
    expect([script.headers.get('Content-Type'), script.text]).toEqual([
      'text/x-python; charset=utf-8',
      readFileSync('src/pages/files/check-proof.py', 'utf8'),
    ]);
    const draft = await create(registry);
    expect((await registry.send(`/assets/${draft.id}`)).text).not.toContain('id="log"');
  });

  it('has no proof of states that were not public', async () => {
    const draft = await create(registry);
    expectError(await registry.send(`${ASSETS}/${draft.id}/proof`), 404, 'header', 'id');
    expectError(await registry.send(`${ASSETS}/${'0'.repeat(32)}/proof`), 404, 'header', 'id');
    expectError(await registry.send(`${ASSETS}/x/proof`), 404, 'header', 'id');
    expectError(await registry.send(`${ASSETS}/${changed.id}/proof?at=x`), 400, 'header', 'at');
    expectError(await registry.send(`${ASSETS}/${changed.id}/proof?at=2020-01-01`), 404, 'header', 'id');
  });

  it('has all that was committed when the service has ended in order', async () => {
    const ending = await TestRegistry.start(kind, { LOG_KEY });
    await checkpointOf(ending, 0);
    await Promise.all(Array.from({ length: 5 }, () => publish(ending)));
    await ending.close();
    const again = await TestRegistry.startOn(ending.databaseUrl);
    const [head] = (await runSql(again, 'SELECT size, checkpoint FROM log_head')) as Record<string, unknown>[];
    await again.close();
    await ending.drop();
    expect([Number(head?.['size']), checkpointIn(String(head?.['checkpoint'])).size]).toEqual([5, 5]);
  });

  it('signs with the new key as well, and then with that one alone, when keys are changed', async () => {
    const next = newLogKey(NAME);
    await registry.close();
    for (const keys of [`${LOG_KEY}\n${next}`, next]) {
      const again = await TestRegistry.startOn(database.url, { LOG_KEY: keys });
      const { publicKeys } = (await again.send('/api/0.1/spore')).json.log as { publicKeys: string[] };
      expect(publicKeys).toHaveLength(keys === next ? 1 : 2);
      await until(async () => {
        const { text } = await again.send(`${LOG}/checkpoint`);
        return publicKeys.every((key) => hasSigned(key, text));
      });
      await again.close();
    }
    registry = await TestRegistry.startOn(database.url, { LOG_KEY });
    const { log } = (await registry.send('/api/0.1/spore')).json as { log: { publicKey: string } };
    await until(async () => hasSigned(log.publicKey, (await registry.send(`${LOG}/checkpoint`)).text));
  });

  it('signs nothing more after its entries were tampered with', async () => {
    const { size, note } = await readCheckpoint(registry);
    const { entry, opening } = (await readLog(registry))[0] ?? { entry: '' };
    const assertion = jest.spyOn(LogPublisher.prototype, 'assertUnchanged');
    await runSql(registry, 'UPDATE log_entry SET created_us = created_us + 1 WHERE place = 0');
    const owned = await publish(registry);
    await until(() => assertion.mock.results.length > 0);
    await expect(assertion.mock.results[0]?.value).rejects.toThrow(ForkedLogError);
    assertion.mockRestore();
    expect((await registry.send(`${LOG}/checkpoint`)).text).toBe(note);
    expectError(await registry.send(`${ASSETS}/${owned.id}/proof`), 503, 'header', 'server');
    await runSql(registry, 'UPDATE log_entry SET created_us = created_us - 1 WHERE place = 0');
    await checkpointOf(registry, size + 1);
    expect((await readLog(registry))[0]).toMatchObject({ entry, opening });
  });
});

/** RFC 6962-bis, section 2.1.3.2. */
function rootBy(path: readonly string[], place: number, size: number, leaf: Buffer): string {
  let [fn, sn, root] = [place, size - 1, leaf];
  for (const line of path) {
    const hash = Buffer.from(line, 'base64');
    if (fn % 2 === 1 || fn === sn) {
      root = sha256(Buffer.of(1), hash, root);
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [fn >> 1, sn >> 1];
    } else root = sha256(Buffer.of(1), root, hash);
    [fn, sn] = [fn >> 1, sn >> 1];
  }
  return root.toString('base64');
}

describe('a registry without a key', () => {
  it.each(embedded)('has no log on $name', async (kind) => {
    await TestRegistry.during(kind, {}, async (registry) => {
      const { id } = await publish(registry);
      for (const path of [`${LOG}/checkpoint`, `${LOG}/assets`, `${LOG}/tile/0/000.p/1`, `${ASSETS}/${id}/proof`])
        expectError(await registry.send(path), 404, 'header', 'path');
      expect((await registry.send('/api/0.1/spore')).json.log).toBeUndefined();
    });
  });

  it.each([
    ['PRIVATE+KEY+x', 'LOG_KEY: a line of it is not PRIVATE+KEY+…'],
    ['/nowhere/log.key', 'LOG_KEY names /nowhere/log.key, which does not exist'],
    ['/', 'LOG_KEY names /, which cannot be read (E'],
  ])('does not start with LOG_KEY=%s', async (key, reason) => {
    const database = await (databases[0] as (typeof databases)[number]).create();
    await expect(TestRegistry.startOn(database.url, { LOG_KEY: key })).rejects.toThrow(reason);
    await database.drop();
  });
});
