import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { AssetInput } from './asset-types.js';
import { RegistryClient } from './registry-client.js';
import type { Wait } from './retry-policy.js';

interface Scripted {
  status?: number;
  body: string;
  /** Bytes that are not HTTP, or a head that is too large, instead of an answer. */
  raw?: string;
}

const TOKEN = 't'.repeat(32);
const ID = 'a'.repeat(32);
const DATA = { title: 'x' } as AssetInput;
const ASSET = { id: ID, title: 'x', status: 'pending' };
const PAGE = JSON.stringify({ next_page: { offset: 'o' }, data: [] });

describe('a client whose requests another server answers', () => {
  let server: Server;
  let client: RegistryClient;
  let answers: Scripted[];
  let keys: unknown[];
  let waits: Wait[];

  const open = (retries: number): RegistryClient => {
    const { port } = server.address() as AddressInfo;
    return new RegistryClient(`http://127.0.0.1:${port}`, { retries, onWait: (wait) => waits.push(wait) });
  };
  const reasons = (): string[] => waits.map(({ reason }) => reason);

  beforeEach(async () => {
    // Makes the random part of a pause, and so the pause, as short as possible.
    jest.spyOn(Math, 'random').mockReturnValue(-1);
    [answers, keys, waits] = [[], [], []];
    server = createServer((request, response) => {
      keys.push(request.headers['idempotency-key']);
      const { status = 200, body, raw }: Scripted = answers.shift() ?? { body: PAGE };
      const answer = (): unknown =>
        raw === undefined ? response.writeHead(status).end(body) : request.socket.end(raw);
      request.resume().once('end', answer);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    client = open(10);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await client.close();
    server.closeAllConnections();
    server.close();
  });

  const HTML = '<html>Log in</html>';
  const odd: [string, Scripted][] = [
    ...[401, 403, 404].map((status): [string, Scripted] => [`${status}`, { status, body: HTML }]),
    ['a page to log in', { body: HTML }],
    ['JSON that is not a page', { body: '{"data":[]}' }],
    ['a redirection', { status: 302, body: '' }],
    ['bytes that are no HTTP', { raw: '\x15\x03\x01\r\n\r\n', body: '' }],
    ['a head that is too large', { raw: `HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(40_000)}\r\n\r\n`, body: '' }],
  ];

  const away = [408, 502, 520].map((status): [string, Scripted] => [`${status}`, { status, body: '' }]); // prettier-ignore

  it.each([
    ...odd.map(([name, answered]) => [name, answered, 'no registry'] as const),
    ...away.map(([name, answered]) => [name, answered, 'unavailable'] as const),
  ])('asks for a page again where it was answered %s, and reports why', async (_, answered, reason) => {
    answers = [answered, answered, answered];
    expect((await client.page()).nextOffset).toBe('o');
    expect(reasons()).toEqual([reason, reason, reason]);
    expect(waits[0]?.why).toMatch(/answered (with )?\d|not a registry's|HTTP\/1\.1 protocol|Headers Overflow/);
  });

  it.each(odd)('gives up if no registry has answered, but %s', async (_, again) => {
    client = open(20);
    answers = Array<Scripted>(50).fill(again);
    await client.page().catch(() => undefined);
    expect(keys).toHaveLength(4);
    answers = [];
    await client.page();
    answers = Array<Scripted>(50).fill(again);
    await client.page().catch(() => undefined);
    expect(keys).toHaveLength(4 + 1 + 21);
  });

  it('retries its first request as long, if it follows forever', async () => {
    client = open(Infinity);
    answers = Array<Scripted>(20).fill({ status: 403, body: HTML });
    expect((await client.page()).nextOffset).toBe('o');
    expect(keys).toHaveLength(21);
  });

  it('retries forever while a proxy reports that the registry is down', async () => {
    client = open(Infinity);
    answers = Array.from({ length: 60 }, (_, i) => ({ status: [500, 408, 520][i % 3] as number, body: '' }));
    expect((await client.page()).nextOffset).toBe('o');
    expect(keys).toHaveLength(61);
  });

  it('does not retry a write that another server answers, or that fails by a defect', async () => {
    for (const answered of [{ status: 403, body: HTML }, { status: 500, body: '' }, { body: HTML }]) {
      answers = [answered];
      await expect(client.create(DATA)).rejects.toThrow();
    }
    expect(keys).toHaveLength(3);
  });

  it('repeats a write that a proxy could not deliver, with the same Idempotency-Key', async () => {
    const created = { status: 201, body: JSON.stringify({ access: { token: TOKEN }, data: ASSET }) };
    answers = [{ status: 520, body: '' }, { status: 421, body: '' }, { status: 408, body: '' }, created];
    expect(await client.create(DATA)).toMatchObject({ token: TOKEN });
    expect(new Set(keys).size).toBe(1);
  });

  it('does not ask again for an asset that a proxy says is not there', async () => {
    answers = [{ status: 404, body: HTML }];
    await expect(client.read(ID)).rejects.toMatchObject({ name: 'NotFound' });
    expect(keys).toHaveLength(1);
  });
});
