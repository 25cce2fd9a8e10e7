import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import { expect, it } from '@jest/globals';
import { RegistryClient } from './registry-client.js';

const MIB = 1024 * 1024;
const LINE = `{"title":"${'x'.repeat(16_000)}"}\n`;
const LINES = 2_500;
/** Slightly more than the kernel's buffers of the two sockets. */
const MAX_BETWEEN = 24 * MIB;

it('a snapshot comes no faster than it is read', async () => {
  let sent = 0;
  function* lines(): Generator<string> {
    yield '{"offset":"o","feed_epoch":"e"}\n';
    for (let i = 0; i < LINES; i++) {
      sent += LINE.length;
      yield LINE;
    }
  }
  const server = createServer((_, response) => {
    // Uncompressed, so that sent and read sizes are equal.
    pipeline(Readable.from(lines(), { objectMode: false }), createGzip({ level: 0 }), response, () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = new RegistryClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  let [read, maxUnread] = [0, 0];
  for await (const texts of (await client.snapshot()).texts) {
    read += texts.reduce((sum, { length }) => sum + length + 1, 0);
    maxUnread = Math.max(maxUnread, sent - read);
    // Simulates a reader slower than the sender.
    await sleep(2);
  }
  expect(read).toBe(LINES * LINE.length);
  expect(maxUnread).toBeLessThan(MAX_BETWEEN);
  await client.close();
  server.close();
});
