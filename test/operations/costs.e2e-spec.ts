import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CopiedDatabase } from '../../src/database/copy/copied-database.js';
import { rowsInOrder } from '../../src/database/copy/rows.js';
import type { CopiedTable } from '../../src/database/copy/tables.js';
import { AuditEntry } from '../../src/database/entities/audit-entry.entity.js';
import { EntityTable } from '../../src/database/entity-table.js';
import { WHOLE_EVERY } from '../../src/database/kept-body.js';
import { ASSETS, assetBody, change, create, type Owned, post, publish } from '../support/assets.js';
import { addAssets } from '../support/many-assets.js';
import { head } from '../support/raw-socket.js';
import { migrate } from '../support/migrated.js';
import { basic, TestRegistry } from '../support/registry.js';
import { CountingServer, type Counts } from '../support/server-counters.js';
import { TcpProxy } from '../support/tcp-proxy.js';

/*
 * What a request costs, in counts that are the same on every machine. A change that makes one of them worse is seen here, and either
 * mended or told by another number (docs/performance.md).
 */

const LISTED = 10_000;
const AUDITED = 6_000;
const REPEATED = 40;
const TOGETHER = 64;
/** How many of those may take a way of their own to the database: not all arrive in the same turn. */
const ALONE = 16;
/** The service asks after its database four times a second, with two statements, and takes leave, which is counted as one. */
const ASKS_A_SECOND = 12;
const BY_ITSELF = 12;

interface Answered {
  status: number;
}

describe('what a request costs on a server of its own', () => {
  let server: CountingServer;
  let proxy: TcpProxy;
  let registry: TestRegistry;
  let owned: Owned;

  beforeAll(async () => {
    server = await CountingServer.start();
    await migrate(server.url);
    proxy = new TcpProxy(new URL(server.url));
    registry = await TestRegistry.startOn(await proxy.open());
    owned = await publish(registry);
    await addAssets(server.url, LISTED);
  });
  afterAll(async () => {
    await registry?.close();
    await proxy?.close();
    await server?.stop();
  });

  /**
   * What each of several requests costs that follow each other. The first ones, which prepare the statements, are not counted; nor is what
   * the service asks by itself, which would be much where a machine is so busy that they take seconds.
   */
  const each = async (ask: (number: number) => Promise<Answered>): Promise<Counts> => {
    for (let i = -2; i < 0; i++) await ask(i);
    for (let triesLeft = 2; ; triesLeft--) {
      const began = performance.now();
      const all = await server.during(async () => {
        for (let i = 0; i < REPEATED; i++) expect((await ask(i)).status).toBeLessThan(300);
      });
      const byItself = ((performance.now() - began) / 1_000) * ASKS_A_SECOND;
      const shares = Object.entries(all).map(([name, count]) => [name, Math.floor(count / REPEATED)]);
      const counts = Object.fromEntries(shares) as Counts;
      // What the service asks by itself is no statement for each, unless the machine is very busy.
      if (byItself < REPEATED) return counts;
      if (triesLeft === 0)
        return { ...counts, statements: Math.max(Math.round((all.statements - byItself) / REPEATED), 1) };
    }
  };
  /** How often each of several requests waits for the database; what the service asks by itself meanwhile is in few of them. */
  const waysOf = async (ask: (number: number) => Promise<Answered>, through = proxy): Promise<number | undefined> => {
    const ways: number[] = [];
    for (let i = 0; i < REPEATED; i++) {
      const before = through.ways;
      await ask(i);
      ways.push(through.ways - before);
    }
    return ways.toSorted((one, other) => one - other)[REPEATED >> 1];
  };
  /** What many requests cost that come at the same moment, on connections that stand already. */
  const together = async (bytesOf: (place: number) => string): Promise<Counts> => {
    const { hostname, port } = new URL(registry.url);
    const sockets = Array.from({ length: TOGETHER }, () => connect(Number(port), hostname));
    const askAll = async (bytes: (place: number) => string): Promise<void> => {
      sockets.forEach((socket, place) => socket.write(bytes(place)));
      const answers = await Promise.all(sockets.map((socket) => once(socket, 'data')));
      for (const [answer] of answers) expect(String(answer)).toMatch(/^HTTP\/1.1 20[01] /);
    };
    await askAll(() => head('GET /health/live HTTP/1.1', 'Host: a'));
    const counts = await server.during(() => askAll(bytesOf));
    for (const socket of sockets) socket.destroy();
    return counts;
  };
  const request = (method: string, path: string, body = ''): string =>
    head(
      `${method} ${ASSETS}${path} HTTP/1.1`,
      'Host: a',
      `Authorization: ${basic('broker')}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
    ) + body;
  const list = (query: string): Promise<Answered> => registry.send(`${ASSETS}?${query}`);
  const made = async (): Promise<Answered> => ({ status: (await create(registry)).id.length > 0 ? 201 : 500 });
  const changed = (number: number): Promise<Answered> => change(registry, owned, { title: `title ${number}` });

  /** What a commit alone costs; MySQL does not count it. */
  const synced = (): number => Number(server.countsSyncs);

  const instantsOf = async ({ id }: Owned): Promise<string[]> => {
    const { json } = await registry.send(`${ASSETS}/${id}/history?limit=1000`);
    return (json.data as { dateModified: string }[]).map(({ dateModified }) => dateModified);
  };

  it('a read: one statement and one row, prepared before', async () => {
    const { statements, prepared, rowsRead } = await each(() => registry.send(`${ASSETS}/${owned.id}`));
    expect({ statements, prepared, rowsRead }).toEqual({ statements: 1, prepared: 0, rowsRead: 1 });
  });

  it.each([
    ['at the start', ''],
    ['in the middle', 'offset=1970-01-01T00:00:00.005Z'],
    ['at the end, newest first', 'descending=1'],
    ['in the middle, newest first', 'descending=1&offset=1970-01-01T00:00:00.005Z'],
  ])('a page of 100 %s: one statement, and the rows of the page', async (_, query) => {
    const { statements, prepared, rowsRead, temporaryTables } = await each(() => list(query));
    expect({ statements, prepared, temporaryTables }).toEqual({ statements: 1, prepared: 0, temporaryTables: 0 });
    // The clock's row, and the entry of the index after the last one; and what the service asks by itself.
    expect(rowsRead).toBeGreaterThanOrEqual(100);
    expect(rowsRead).toBeLessThanOrEqual(110);
  });

  it('a page of 1,000 whole assets: one statement, and the rows of the page', async () => {
    const { statements, rowsRead } = await each(() => list('limit=1000&opt_fields=*'));
    expect(statements).toBe(1);
    expect(rowsRead).toBeLessThanOrEqual(1_010);
  });

  it('64 reads of different assets at the same moment: few statements', async () => {
    const { json } = await registry.send(`${ASSETS}?limit=${TOGETHER}`);
    const { statements } = await together((place) => request('GET', `/${json.data[place].id}`));
    expect(statements).toBeLessThanOrEqual(ALONE + BY_ITSELF);
  });

  it('64 different pages at the same moment: few statements', async () => {
    const pageAfter = (us: number): string => `?limit=5&offset=1970-01-01T00:00:00.00${String(1_000 + us)}Z`;
    const { statements } = await together((place) => request('GET', pageAfter(place)));
    expect(statements).toBeLessThanOrEqual(2 * ALONE + BY_ITSELF);
  });

  it('64 who ask for the same page at the same moment: few readings of it', async () => {
    const { statements, rowsRead } = await together(() => request('GET', '?limit=50'));
    expect(statements).toBeLessThanOrEqual(ALONE + BY_ITSELF);
    expect(rowsRead).toBeLessThanOrEqual(ALONE * 52);
  });

  it('64 creations at the same moment: few commits', async () => {
    const { commits, syncs } = await together(() => request('POST', '', JSON.stringify(assetBody())));
    expect(commits).toBeLessThanOrEqual(ALONE);
    expect(syncs).toBeLessThanOrEqual(ALONE);
  });

  it('a creation alone: its key, the clock and the number, the asset, the audit and the bytes, and one commit', async () => {
    const { statements, prepared, commits, syncs } = await each(made);
    expect({ statements, prepared, commits, syncs }).toEqual({
      statements: 7,
      prepared: 0,
      commits: 1,
      syncs: synced(),
    });
    expect(await waysOf(made)).toBe(4);
  });

  it('a change alone: its key and owner, the asset, the clock, the change with what it was, the audit and the bytes, and one commit', async () => {
    const { statements, prepared, commits, syncs } = await each(changed);
    expect({ statements, prepared, commits, syncs }).toEqual({
      statements: 8,
      prepared: 0,
      commits: 1,
      syncs: synced(),
    });
    expect(await waysOf(changed)).toBe(5);
  });

  it('a creation alone, behind a proxy that takes one command at a time: a way for each statement', async () => {
    const slow = new TcpProxy(new URL(server.url));
    slow.takesOneAtATime = true;
    const behind = await TestRegistry.startOn(await slow.open());
    expect(await waysOf(() => post(behind, assetBody()), slow)).toBe(7);
    await behind.close();
    await slow.close();
  });

  it('what the service asks by itself: connections that take leave of the server', async () => {
    let { connections, abandoned } = { connections: 0, abandoned: 0 };
    while (connections < 8) {
      const counts = await server.during(() => sleep(100));
      connections += counts.connections;
      abandoned += counts.abandoned;
    }
    // One that is not answered in time is given up.
    expect(abandoned).toBeLessThan(connections / 2);
  });

  it('a page of a history: one statement, and the rows of the page twice', async () => {
    const path = `${ASSETS}/${owned.id}/history`;
    for (let i = 0; i < 2 * REPEATED; i++) await changed(i);
    const instants = await instantsOf(owned);
    const offset = encodeURIComponent(instants[instants.length >> 1] as string);
    for (const direction of ['', '&descending=1']) {
      const { statements, prepared, rowsRead } = await each(() =>
        registry.send(`${path}?limit=20&offset=${offset}${direction}`),
      );
      expect({ statements, prepared }).toEqual({ statements: 1, prepared: 0 });
      // Each with the one before it; the asset; the entry of the index after the last one.
      expect(rowsRead).toBeLessThanOrEqual(2 * 20 + 4);
    }
  });

  it.each(['first', 'middle', 'last'])(
    'an asset in its %s state: one statement, and the rows to the next whole body',
    async (which) => {
      const instants = await instantsOf(owned);
      const place = { first: 0, middle: instants.length >> 1, last: instants.length - 1 }[which] as number;
      const path = `${ASSETS}/${owned.id}?at=${encodeURIComponent(instants[place] as string)}`;
      const { statements, prepared, rowsRead } = await each(() => registry.send(path));
      expect({ statements, prepared }).toEqual({ statements: 1, prepared: 0 });
      // Each with the one before it; the asset; where to begin, and the entry of the index after the last one.
      expect(rowsRead).toBeLessThanOrEqual(2 * WHOLE_EVERY + 4);
    },
  );

  it('a copy of a table whose key has several columns: each row about once', async () => {
    const database = await CopiedDatabase.open(server.url, 'read');
    const audit = database.tables.find(({ entity }) => entity === AuditEntry) as CopiedTable;
    const rows = Array.from({ length: AUDITED }, (_, i) => [
      Math.floor(i / 3),
      `subject ${i % 3}`,
      'a',
      'b',
      null,
      '{}',
    ]);
    const target = EntityTable.of(AuditEntry);
    for (let i = 0; i < AUDITED; i += 1_000) await database.session.insertRows(target, rows.slice(i, i + 1_000));
    let copied = 0;
    const { rowsRead } = await server.during(async () => {
      for await (const batch of rowsInOrder(database.session, audit)) copied += batch.length;
    });
    await database.close();
    expect(copied).toBeGreaterThanOrEqual(AUDITED);
    expect(rowsRead).toBeLessThan(copied * 1.2);
  });
});
