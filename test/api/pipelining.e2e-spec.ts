import { describe, expect, it } from '@jest/globals';
import { ASSETS, assetBody } from '../support/assets.js';
import { embedded } from '../support/databases.js';
import { DESYNC_SEQUENCES } from '../support/desync.js';
import { expectError } from '../support/errors.js';
import { exchange, exchangeOne, head, type RawReply } from '../support/raw-socket.js';
import { basic } from '../support/registry.js';
import { servedRegistry } from '../support/served-registry.js';

const HOST = 'Host: registry.example';
const GARBAGE = 'no HTTP\r\n\r\n';
const CANARY = head(`GET ${ASSETS} HTTP/1.1`, HOST, 'X-Request-ID: canary', 'Connection: close');
const BODY = JSON.stringify(assetBody());
const post = (...lines: string[]): string =>
  head(
    `POST ${ASSETS} HTTP/1.1`,
    HOST,
    'Content-Type: application/json',
    `Authorization: ${basic('broker')}`,
    ...lines,
  );
const POST = post(`Content-Length: ${Buffer.byteLength(BODY)}`) + BODY;
const statuses = (replies: RawReply[]): number[] => replies.map(({ status }) => status);

describe.each(embedded)('several requests on one connection on $name', (kind) => {
  const registry = servedRegistry(kind);

  it('hundreds sent at once are answered in order', async () => {
    const targets = Array.from({ length: 300 }, (_, i) => `${ASSETS}?limit=1&n=${i}`);
    const requests = targets.map((target) => head(`GET ${target} HTTP/1.1`, HOST)).join('');
    const replies = await exchange(registry.url, requests + CANARY);
    expect(replies.slice(0, -1).map(({ json }) => json.next_page.path.split('&offset')[0])).toEqual(targets);
    expect(replies.at(-1)?.headers.get('x-request-id')).toBe('canary');
  });

  it('a malformed request is refused after the answers to earlier ones', async () => {
    const get = head(`GET ${ASSETS} HTTP/1.1`, HOST);
    expect(statuses(await exchange(registry.url, get + GARBAGE))).toEqual([200, 400]);
    expect(statuses(await exchange(registry.url, get + get + POST + GARBAGE))).toEqual([200, 200, 201, 400]);
    expect(statuses(await exchange(registry.url, POST + head('CONNECT a:1 HTTP/1.1', HOST)))).toEqual([201, 404]);
  });

  it('bytes after the last request are not answered', async () => {
    expect(statuses(await exchange(registry.url, CANARY + GARBAGE))).toEqual([200]);
  });

  it('a body whose rest is broken is refused once', async () => {
    const refused = head(`POST ${ASSETS} HTTP/1.1`, HOST, 'Transfer-Encoding: chunked');
    expect(statuses(await exchange(registry.url, `${refused}4\r\nabcde\r\n0\r\n\r\n`))).toEqual([400]);
  });

  it('chunk extensions without end are 413', async () => {
    const bytes = `${post('Transfer-Encoding: chunked')}2;${'a'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`;
    expectError(await exchangeOne(registry.url, bytes), 413, 'body', 'data');
  });

  describe('a request after one with an ambiguous end is never answered', () => {
    it.each(Object.entries(DESYNC_SEQUENCES))('%s', async (_what, sequence) => {
      const replies = await exchange(registry.url, Buffer.from(sequence + CANARY, 'latin1'));
      expect(replies).toHaveLength(1);
      expect([400, 415]).toContain(replies[0]?.status);
      expect(replies[0]?.headers.get('x-request-id')).not.toBe('canary');
    });
  });
});
