import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ASSETS, publish } from '../support/assets.js';
import { embedded, type TestDatabase } from '../support/databases.js';
import { EventClient } from '../support/event-client.js';
import { addAssets } from '../support/many-assets.js';
import { migrate } from '../support/migrated.js';
import { newFolder } from '../support/new-folder.js';
import { TestRegistry } from '../support/registry.js';
import { until } from '../support/until.js';

const CSV = `${ASSETS}/search.csv`;
/** Limits of concurrent CSV downloads, and of different `opt_fields` among followers. */
const CSV_PLACES = 20;
const CHOICES = 64;
/** Together far larger than the buffers of a connection. */
const COUNT = 400;
const LONG = 'ж'.repeat(50_000);

describe.each(embedded)(
  'a newcomer to a registry on $name whose places are taken by clients that read nothing',
  (kind) => {
    const folder = newFolder();
    let database: TestDatabase | undefined;
    let registry: TestRegistry;
    const idle: Socket[] = [];

    beforeAll(async () => {
      database = await kind.create();
      await migrate(database.url);
      const first = await TestRegistry.startOn(database.url);
      await publish(first, { description: LONG });
      await first.close();
      await addAssets(database.url, COUNT - 1);
      const env = { SEARCH_INDEX: join(folder, 'search.sqlite'), TRUST_PROXY: '127.0.0.1' };
      registry = await TestRegistry.startOn(database.url, env);
      await until(async () => (await registry.send(`${ASSETS}/search?limit=1`)).json.total === COUNT);
    });
    afterAll(async () => {
      for (const socket of idle) socket.destroy();
      await registry?.close();
      await database?.drop();
    });

    /** Asks for the file, takes the beginning of it, and reads nothing more. */
    const stall = async (address: string): Promise<void> => {
      const { hostname, port } = new URL(registry.url);
      const socket = connect(Number(port), hostname).on('error', () => undefined);
      idle.push(socket);
      socket.write(`GET ${CSV} HTTP/1.1\r\nHost: ${hostname}\r\nX-Forwarded-For: ${address}\r\n\r\n`);
      const [bytes] = (await once(socket, 'data')) as [Buffer];
      socket.pause();
      expect(bytes.toString('latin1')).toMatch(/^HTTP\/1.1 200/);
    };

    it('gets a search as CSV', async () => {
      for (let i = 0; i < CSV_PLACES; i++) await stall(`192.0.2.${i}`);
      const asked = { headers: { 'X-Forwarded-For': '198.51.100.1' } };
      await until(async () => (await registry.send(`${CSV}?limit=1`, asked)).status === 200);
    });

    it('gets a stream with the fields that it chose', async () => {
      const streams = await Promise.all(
        Array.from({ length: CHOICES }, (_, i) =>
          EventClient.open(registry.url, {
            query: `?offset=2999-01-01&opt_fields=field${i}`,
            headers: { 'X-Forwarded-For': `192.0.2.${i}` },
          }),
        ),
      );
      expect(new Set(streams.map(({ answer }) => answer.statusCode))).toEqual(new Set([200]));
      const headers = { 'X-Forwarded-For': '198.51.100.1' };
      await until(async () => {
        const stream = await EventClient.open(registry.url, { query: '?offset=2999-01-01&opt_fields=title', headers });
        streams.push(stream);
        return stream.answer.statusCode === 200;
      });
      await until(() => streams.some(({ retryMs }) => retryMs !== undefined));
      expect(streams.at(-1)?.ended).toBeUndefined();
      for (const stream of streams) stream.close();
    });
  },
);
