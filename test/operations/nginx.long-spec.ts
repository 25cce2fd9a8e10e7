import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer as bytesOf } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NotInstalledError } from '../../scripts/machine/apt-get.js';
import { removeFolder } from '../../scripts/machine/remove-folder.js';
import { ASSETS, publish, read } from '../support/assets.js';
import { decoded } from '../support/content-coding.js';
import { databases, type TestDatabaseKind } from '../support/databases.js';
import { EventClient } from '../support/event-client.js';
import { findNginx, Nginx } from './nginx.js';
import { type Reply, TestRegistry } from '../support/registry.js';
import { until } from '../support/until.js';

const [sqlite] = databases as [TestDatabaseKind];
/** The lines of docs/operations.md: a cache before the registry, and those who follow. */
const [CACHE = '', FOLLOWERS = ''] = [...readFileSync('docs/operations.md', 'utf8').matchAll(/^```nginx\n(.*?)^```/gms)].map(
  ([, lines]) => lines,
); // prettier-ignore
const OF_LISTING = /\n *# Only where a listing may be a second old\.\n *location = [^}]*\}/;
const LONG = 60;

/** @throws where it is not there: nothing of the page may be left out unseen */
function replaced(text: string, what: string | RegExp, other: string): string {
  if (text.search(what) < 0) throw new Error(`docs/operations.md has no ${what} for nginx`);
  return text.replaceAll(new RegExp(what, 'g'), other);
}

// What stands before a service does not know its database.
describe('the lines for nginx, before a registry on SQLite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'registry-nginx-'));
  let registry: TestRegistry;
  let withCache: Nginx;
  let withFollowers: Nginx;
  let isThere = false;

  /** They as they stand there, but for where it listens, passes on and writes. */
  const linesFor =
    (lines: string) =>
    (listen: string, cache: string): string =>
      replaced(
        replaced(replaced(lines, 'listen 80;', `listen ${listen};`), '/var/cache/nginx/registry', cache),
        'http://127.0.0.1:8080',
        registry.url,
      );

  beforeAll(async () => {
    let program: string;
    try {
      program = await findNginx(folder);
    } catch (error) {
      if (!(error instanceof NotInstalledError)) throw error;
      return console.warn(`NOT TRIED: the lines for nginx. There is none here, and ${error.message}`);
    }
    isThere = true;
    registry = await TestRegistry.start(sqlite, { METRICS_PORT: '0' });
    withCache = await Nginx.of(program, folder, linesFor(CACHE));
    const both = `${replaced(CACHE, OF_LISTING, '').trimEnd().slice(0, -1)}\n${FOLLOWERS}}`;
    withFollowers = await Nginx.of(program, folder, linesFor(both));
    for (const nginx of [withCache, withFollowers]) {
      await nginx.start();
      await until(() => fetch(nginx.url).then(({ ok }) => ok, () => false)); // prettier-ignore
    }
  });
  afterAll(async () => {
    const complaints = [await withCache?.stop(), await withFollowers?.stop()];
    await registry?.stop();
    removeFolder(folder);
    if (isThere) expect(complaints).toEqual(['', '']);
  });

  const whereThere = (title: string, test: () => Promise<void>): void =>
    it(title, async () => {
      if (isThere) await test();
    });
  /** By none of the ways that compare an answer with the description of the API: it has a header of nginx's own. */
  const ask = async (nginx: Nginx, path: string, headers: Record<string, string> = {}): Promise<Reply> => {
    const [answer] = (await once(get(nginx.url + path, { headers }), 'response')) as [IncomingMessage];
    const coding = answer.headers['content-encoding'] ?? null;
    const text = decoded(await bytesOf(answer), coding).toString();
    const json = answer.headers['content-type'] === 'application/json' && text !== '' ? JSON.parse(text) : undefined;
    return {
      status: answer.statusCode as number,
      headers: new Headers(Object.entries(answer.headers).map(([name, value]) => [name, String(value)])),
      text,
      json,
    };
  };
  const send = (path: string, headers?: Record<string, string>): Promise<Reply> => ask(withCache, path, headers);
  /** Under load an answer may come as it is. */
  const sendFor = async (coding: string, path: string): Promise<Reply> => {
    for (;;) {
      const reply = await send(path, { 'Accept-Encoding': coding });
      if (reply.headers.get('content-encoding') === coding) return reply;
    }
  };

  whereThere('are sound, with a listing that is kept for a second, and with followers', async () => {
    for (const nginx of [withCache, withFollowers]) expect(await nginx.check()).toBe('');
  });

  whereThere(
    'pass an asset on as it is: its coding, its ETag, a client’s 304; links have the host of nginx',
    async () => {
      const owned = await publish(registry);
      const path = `${ASSETS}/${owned.id}`;
      for (const coding of ['gzip', 'br']) {
        const reply = await sendFor(coding, path);
        expect(reply.text).toBe((await read(registry, owned)).text);
        const etag = String(reply.headers.get('etag'));
        expect((await send(path, { 'Accept-Encoding': coding, 'If-None-Match': etag })).status).toBe(304);
      }
      const { next_page: next } = (await ask(withFollowers, ASSETS)).json;
      expect(next.uri).toBe(withFollowers.url + next.path);
    },
  );

  whereThere('keep the files of pages, each coding of them, and a listing, and no asset', async () => {
    const page = await send('/');
    const [file = ''] = /\/pages\/[^"]+\.css/.exec(page.text) ?? [];
    for (const coding of ['gzip', 'br']) await send(file, { 'Accept-Encoding': coding });
    const owned = await publish(registry);
    await send(`${ASSETS}/${owned.id}`);
    // What was kept for a second may be told until then.
    await until(async () => (await send(`${ASSETS}?limit=1&descending=1`)).json.data[0]?.id === owned.id);
    const keptOf = (path: string): string => withCache.url.replace('://', '') + path;
    const kept = await withCache.kept();
    expect(kept.filter((key) => key === keptOf(file))).toHaveLength(2);
    expect(new Set(kept)).toEqual(new Set([keptOf(file), keptOf(`${ASSETS}?limit=1&descending=1`)]));
  });

  whereThere('hold back no event, and nobody who waits where another waits already', async () => {
    const offset = (await registry.send(`${ASSETS}?limit=1&descending=1`)).json.data[0].dateModified;
    const after = `?offset=${encodeURIComponent(offset)}`;
    const stream = await EventClient.open(withFollowers.url, { query: after });
    const waits = [1, 2].map(() => ask(withFollowers, `${ASSETS}${after}&wait=${LONG}`));
    const waiting = async (): Promise<string> => (await fetch(registry.metricsUrl as string)).text();
    await until(async () => /^registry_live_waits 2$/m.test(await waiting()));
    const { id } = await publish(registry);
    expect((await stream.has(1)).entries).toMatchObject([{ id }]);
    for (const { json } of await Promise.all(waits)) expect(json.data).toMatchObject([{ id }]);
    stream.close();
    // Where a listing is kept, who waits second is held back for 5 s.
    expect(await withFollowers.kept()).toEqual([]);
  });
});
