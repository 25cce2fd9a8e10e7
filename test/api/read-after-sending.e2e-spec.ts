import { connect } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { ASSETS } from '../support/assets.js';
import { embedded } from '../support/databases.js';
import { expectError } from '../support/errors.js';
import { head, parseReplies, type RawReply } from '../support/raw-socket.js';
import { basic } from '../support/registry.js';
import { servedRegistry } from '../support/served-registry.js';

const MEGABYTE = 1_000_000;
const JSON_TYPE = 'Content-Type: application/json';
const KEY = `Authorization: ${basic('broker')}`;

/** As plain clients are written: everything is sent before the first byte of the answer is read. */
function sendThenRead(url: string, bytes: Buffer): Promise<RawReply[]> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect({ host: hostname, port: Number(port) });
    socket.pause();
    socket.write(bytes, () => socket.resume());
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.once('error', reject);
    socket.once('end', () => resolve(parseReplies(Buffer.concat(chunks))));
  });
}

/** How long the service waits for the client of a refused request. */
const HELD_MS = 2_000;

/** Sends again if this machine needed longer to send everything. */
async function exchangeAll(url: string, bytes: Buffer): Promise<RawReply[]> {
  for (;;) {
    const began = performance.now();
    try {
      return await sendThenRead(url, bytes);
    } catch (error) {
      if (performance.now() - began < HELD_MS) throw error;
    }
  }
}

describe.each(embedded)(
  'a client that sends all before it reads, and asks for the end of the connection, on $name',
  (kind) => {
    const registry = servedRegistry(kind);

    it.each<[string, string, number, string | undefined, string[]]>([
      ['of a type that is not taken', `POST ${ASSETS}`, 415, 'Content-Type', [KEY, 'Content-Type: text/plain']],
      ['without a key', `POST ${ASSETS}`, 401, undefined, [JSON_TYPE]],
      ['that is too large', `POST ${ASSETS}`, 413, undefined, [JSON_TYPE, KEY]],
      ['of a read', `GET ${ASSETS}`, 200, undefined, []],
    ])('gets the answer to a body of 12 MB %s', async (_, request, status, name, lines) => {
      const start = head(
        `${request} HTTP/1.1`,
        'Host: a',
        'Connection: close',
        ...lines,
        `Content-Length: ${12 * MEGABYTE}`,
      );
      const replies = await exchangeAll(
        registry.url,
        Buffer.concat([Buffer.from(start), Buffer.alloc(12 * MEGABYTE, ' ')]),
      );
      expect(replies.map((reply) => reply.status)).toEqual([status]);
      if (name !== undefined) expectError(replies[0] as RawReply, status, 'header', name);
    });

    it('gets the answers to a non-HTTP request, to a head that is too large, and to a request before them', async () => {
      const large = Buffer.alloc(12 * MEGABYTE, 'x');
      const [before, long] = [
        head(`GET ${ASSETS} HTTP/1.1`, 'Host: a'),
        `GET ${ASSETS} HTTP/1.1\r\nHost: a\r\nX-Long: `,
      ];
      const statuses = async (begin: string): Promise<number[]> =>
        (await exchangeAll(registry.url, Buffer.concat([Buffer.from(begin), large]))).map(({ status }) => status);
      expect(await statuses('')).toEqual([400]);
      expect(await statuses(long)).toEqual([431]);
      expect(await statuses(before + long)).toEqual([200, 431]);
    });
  },
);
