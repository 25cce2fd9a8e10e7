import { randomInt } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { ASSETS, assetBody, change, type JsonObject, type Owned } from '../support/assets.js';
import { embedded } from '../support/databases.js';
import { Random } from '../support/random.js';
import { basic } from '../support/registry.js';
import { servedRegistry } from '../support/served-registry.js';
import { head } from '../support/raw-socket.js';
import { runSql } from '../support/rows.js';

/** CUT_POSTS=10000 tries as many. */
const POSTS = Number(process.env.CUT_POSTS ?? 60);
const SEED = Number(process.env.CUT_SEED ?? randomInt(2 ** 31));
const AT_ONCE = 16;
const CUT_SHARE = 0.7;
const TEST_MS = 600_000;

interface Cut {
  /** How many bytes of the request are sent. */
  sent: number;
  /** How long after them, in milliseconds. */
  after: number;
}

/** Sends a request and cuts the socket. @returns the answer if it was whole by then */
function attempt(url: string, request: Buffer, cut: Cut | undefined): Promise<string | undefined> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect({ host: hostname, port: Number(port) }, () => {
      socket.write(cut === undefined ? request : request.subarray(0, cut.sent));
      if (cut !== undefined) setTimeout(() => socket.destroy(), cut.after);
    });
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => (answer += text));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(isWhole(answer) ? answer : undefined));
  });
}

function isWhole(answer: string): boolean {
  const [top = '', body] = answer.split('\r\n\r\n');
  return body !== undefined && Buffer.byteLength(body) === Number(/content-length: (\d+)/i.exec(top)?.[1]);
}

function requestOf(key: string, title: string): Buffer {
  const body = JSON.stringify(assetBody({ title }));
  const lines = [
    `POST ${ASSETS} HTTP/1.1`,
    'Host: registry',
    `Authorization: ${basic('broker')}`,
    'Content-Type: application/json',
    `Idempotency-Key: ${key}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  return Buffer.from(head(...lines) + body);
}

describe.each(embedded)(`sockets cut at any stage on $name (CUT_SEED=${SEED})`, (kind) => {
  const registry = servedRegistry(kind);

  /** Sends again and again, as a client does that hears nothing. */
  async function createThroughCuts(number: number, random: Random): Promise<Owned> {
    const request = requestOf(`key-${number}`, `cut ${number}`);
    for (;;) {
      // Half of them are cut while they are sent, the others while they are worked on or answered.
      const sent = random.chance(0.5) ? random.int(0, request.length) : request.length;
      const cut = random.chance(CUT_SHARE) ? { sent, after: random.next() * 12 } : undefined;
      const answer = await attempt(registry.url, request, cut);
      const body = answer?.split('\r\n\r\n')[1];
      if (answer?.startsWith('HTTP/1.1 201 ') && body !== undefined) {
        const { data, access } = JSON.parse(body) as { data: Owned['asset']; access: { token: string } };
        return { id: data.id, token: access.token, asset: data };
      }
      if (answer !== undefined && !answer.startsWith('HTTP/1.1 503 ')) throw new Error(answer);
      await sleep(random.next() * 5);
    }
  }

  it(
    `${POSTS} creations that are sent until they are answered make ${POSTS} assets, and every token works`,
    async () => {
      const random = new Random(SEED);
      const owned: Owned[] = [];
      let next = 0;
      const clients = Array.from({ length: AT_ONCE }, async () => {
        const own = random.fork();
        while (next < POSTS) owned.push(await createThroughCuts(next++, own));
      });
      await Promise.all(clients);

      const stored = (await runSql(registry, 'SELECT COUNT(*) AS n FROM asset')) as JsonObject[];
      expect(Number(stored[0]?.['n'])).toBe(POSTS);
      expect(new Set(owned.map(({ id }) => id)).size).toBe(POSTS);
      for (const asset of owned) expect((await change(registry, asset, { status: 'pending' })).status).toBe(200);
    },
    TEST_MS,
  );
});
