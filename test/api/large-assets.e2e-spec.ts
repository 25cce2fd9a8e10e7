import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createConnection } from 'mysql2/promise';
import { ASSETS, change, create, createFrom, type Owned } from '../support/assets.js';
import { waitsForClock } from '../support/process-list.js';
import { copies, type TestCopy } from '../support/copies.js';
import { databases } from '../support/databases.js';
import { largestBody } from '../support/large-asset.js';
import { addAssets } from '../support/many-assets.js';
import { metricsOf } from '../support/metrics.js';
import { follow, type Page } from '../support/pages.js';
import type { Reply } from '../support/registry.js';
import { servedRegistry } from '../support/served-registry.js';
import { syncCommand } from '../support/sync-command.js';
import { until } from '../support/until.js';

/** On a server more than one statement of it takes (16 MiB). */
const COPIES = { SQLite: 13, MariaDB: 19, MySQL: 19 };
const MAX_BYTES = 2.1 * 1024 * 1024;

describe.each(databases)('assets of a megabyte on $name', (kind) => {
  const registry = servedRegistry(kind, { BODY_LIMIT: '1mb', METRICS_PORT: '0' });
  let large: Owned;
  /** Ids of all assets, oldest change first. */
  let ids: string[];

  beforeAll(async () => {
    large = await createFrom(registry, largestBody());
    expect((await change(registry, large, { status: 'pending' })).status).toBe(200);
    await addAssets(registry.databaseUrl, COPIES[kind.name]);
  });
  beforeEach(async () => {
    ids = (await follow(registry, `${ASSETS}?limit=1000`)).map(({ id }) => id);
    expect(ids).toHaveLength(COPIES[kind.name] + 1);
  });

  const idsOf = ({ data }: Page): string[] => data.map(({ id }) => id);

  it.each([
    ['opt_fields=*&limit=1000', MAX_BYTES],
    ['opt_fields=title,items', MAX_BYTES],
    ['opt_fields=*&opt_pretty=1', 2 * MAX_BYTES],
  ])('a page with %s ends at a limit of some megabytes', async (query, most) => {
    const { status, text, json } = await registry.send(`${ASSETS}?${query}`);
    expect(status).toBe(200);
    const expected = query.includes('descending') ? ids.toReversed() : ids;
    expect(idsOf(json)).toEqual(expected.slice(0, json.data.length));
    expect(json.data.length).toBeGreaterThan(1);
    expect(Buffer.byteLength(text)).toBeLessThan(most);
    expect(json.next_page.offset).toBe(json.data.at(-1).dateModified);
  });

  it.each(['', '&descending=1'])('pages (%s) lead to the end, with every asset once, in order', async (direction) => {
    const seen = (await follow(registry, `${ASSETS}?opt_fields=*&limit=1000${direction}`)).map(({ id }) => id);
    expect(seen).toEqual(direction === '' ? ids : ids.toReversed());
  });

  it('concurrent requests are answered a few at a time', async () => {
    const asked = Array.from({ length: 6 }, (_, i) => registry.send(`${ASSETS}?opt_fields=*&limit=${100 + i}`));
    for (const { status, json } of await Promise.all(asked)) {
      expect(status).toBe(200);
      expect(idsOf(json)).toEqual(ids.slice(0, json.data.length));
    }
  });

  it('the Atom feed and the page have them all, and the tag of the feed is known again', async () => {
    const atom = await registry.send('/changes.atom');
    expect(atom.text.match(/<entry>/g)).toHaveLength(ids.length);
    const known = { headers: { 'If-None-Match': String(atom.headers.get('etag')) } };
    expect((await registry.send('/changes.atom', known)).status).toBe(304);
    expect((await registry.send('/')).text.match(/<p class="over">/g)).toHaveLength(ids.length);
  });

  // A test can block the lane there, so that all writes queue.
  if (kind.name !== 'SQLite') {
    it('another broker’s creation overtakes one broker’s queue, which needs more than one statement', async () => {
      const queued = async (): Promise<number> =>
        (await metricsOf(registry.metricsUrl)).get('registry_ledger_queue_changes') ?? 0;
      const other = await createConnection(registry.databaseUrl);
      await other.beginTransaction();
      await other.query('SELECT last_us FROM feed_clock FOR UPDATE');
      // Copies have the token of the first.
      const changeOf = (id: string): Promise<Reply> => change(registry, { ...large, id }, { title: `of ${id}` });
      const [first, ...others] = ids as [string, ...string[]];
      const changes = [changeOf(first)];
      await until(() => waitsForClock(other));
      // On a slow machine, a write that waited too long has been answered 503 and left the queue.
      let answered = 0;
      const noted = (asked: Promise<unknown>): Promise<unknown> => asked.finally(() => answered++);
      const come = async (): Promise<number> => answered + (await queued());
      changes.push(...others.map(changeOf));
      const notedAll = changes.slice(1).map(noted);
      await until(async () => (await come()) >= others.length);
      const creation = create(registry, {}, 'broker2');
      notedAll.push(noted(creation));
      await until(async () => (await come()) > others.length);
      await other.rollback();
      await other.end();
      const { asset } = await creation;
      const changed = await Promise.all(changes);
      // So many megabytes may take longer than a request waits.
      for (const { status } of changed) expect([200, 503]).toContain(status);
      const earlier = changed.filter(({ status, json }) => status === 200 && json.data.dateModified < asset.date);
      expect(earlier.length).toBeLessThan(ids.length / 2);
    });
    // A runner sees pages, whatever they are read from.
    return;
  }

  describe.each(copies.slice(0, 1))('a copy to $name', ({ create: createCopy }) => {
    let copy: TestCopy;
    beforeAll(async () => {
      copy = await createCopy();
    });
    afterAll(() => copy.drop());

    it.each([['--no-snapshot'], ['--newest-first', '--resync']])('%s %s is whole', async (...words) => {
      const ended = await syncCommand(registry.url, '--to', copy.target, ...words);
      expect([ended.code, ended.stderr]).toEqual([0, expect.anything()]);
      expect((await syncCommand('verify', registry.url, copy.target, '--documents')).code).toBe(0);
    });
  });
});
