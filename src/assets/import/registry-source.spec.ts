import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { newestLinesOf, readRegistry } from './registry-source.js';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const page = (data: object[], offset: string): Answer => {
  return (_request, response) => response.end(JSON.stringify({ data, next_page: { offset, path: '', uri: '' } }));
};
const END = page([], 'end');

describe('a registry read for an import', () => {
  let folder: string;
  let file: string;
  let server: Server;
  let requests: string[];
  let answers: Answer[];

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'registry-source-'));
    file = join(folder, 'assets.jsonl');
    requests = [];
    server = createServer((request, response) => {
      requests.push(String(request.url));
      (answers.shift() ?? END)(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });

  const read = (path = ''): Promise<void> =>
    readRegistry(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, file, () => undefined);
  const lines = (): unknown[] =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as unknown);

  it('is read by pages if it lists whole assets', async () => {
    answers = [page([{ id: 'a', assetType: 'basic' }], '1')];
    await read();
    expect(lines()).toEqual([{ offset: '' }, { id: 'a', assetType: 'basic' }, { offset: '1' }]);
    const listing = '/api/0.1/assets?limit=100&opt_fields=*';
    expect(requests).toEqual([listing, `${listing}&offset=1`]);
  });

  it('is requested for each asset if it lists only ids, as older servers do', async () => {
    answers = [
      page([{ id: 'a', dateModified: 'x' }], '1'),
      (_request, response) => response.end('{"data":{"id":"a","assetType":"basic"}}'),
    ];
    await read('/api/0/assets');
    expect(lines()[1]).toEqual({ id: 'a', assetType: 'basic' });
    expect(requests[1]).toBe('/api/0/assets/a');
  });

  it('gets the request again after 429, and after 412 with its cookie', async () => {
    const cookies: (string | undefined)[] = [];
    answers = [
      (_request, response) => response.writeHead(429, { 'Retry-After': '0.01' }).end(),
      (_request, response) =>
        response.writeHead(412, { 'Set-Cookie': 'SERVER_ID=b; Path=/', 'Retry-After': '0.01' }).end(),
      (request, response) => {
        cookies.push(request.headers.cookie);
        END(request, response);
      },
    ];
    await read();
    expect(cookies).toEqual(['SERVER_ID=b']);
  });

  it('resumes after the last whole page, however large the file and its incomplete page are', async () => {
    answers = [page([{ id: 'a', assetType: 'basic' }], '1')];
    await read();
    const whole = readFileSync(file, 'utf8');
    for (const incomplete of [
      '{"offset":"2',
      `{"id":"b","title":"${'ї'.repeat(3_000_000)}"}\n{"id":"c","title":"\u00d1`,
    ]) {
      appendFileSync(file, Buffer.from(incomplete).subarray(0, -1));
      requests = [];
      await read();
      expect(requests).toEqual(['/api/0.1/assets?limit=100&opt_fields=*&offset=1']);
      expect(readFileSync(file, 'utf8') === whole).toBe(true);
    }
  });

  it('resumes after a page whose last line begins in one searched part and ends in the next', async () => {
    answers = [page([{ id: 'a', assetType: 'basic' }], '1')];
    await read();
    const { size } = statSync(file);
    const line = '\n{"offset":"1"}\n'.length;
    for (const split of [1, 5, 10]) {
      // The incomplete page takes no space on the disk.
      truncateSync(file, size + 2 ** 20 + split - line);
      await read();
      expect([statSync(file).size, requests.at(-1)]).toEqual([size, '/api/0.1/assets?limit=100&opt_fields=*&offset=1']);
    }
  });

  it.each(['', '{"offset":', '{"offset":""}\n{"id":"a"}\n{"id":"b"'])('starts again after %j', async (contents) => {
    writeFileSync(file, contents);
    answers = [page([{ id: 'a', assetType: 'basic' }], '1')];
    await read();
    expect(lines()).toEqual([{ offset: '' }, { id: 'a', assetType: 'basic' }, { offset: '1' }]);
  });

  it.each(['{"id":"a"}\n', ' '])('leaves a file with other contents alone: %j', async (contents) => {
    writeFileSync(file, contents);
    await expect(read()).rejects.toThrow(`${file} has other contents`);
    expect([readFileSync(file, 'utf8'), requests]).toEqual([contents, []]);
  });

  it('resumes a file that is larger than a string', async () => {
    answers = [page([{ id: 'a', assetType: 'basic' }], '1')];
    await read();
    const { size } = statSync(file);
    // The incomplete page takes no space on the disk.
    truncateSync(file, size + 2 ** 29);
    await read();
    expect([statSync(file).size, requests.at(-1)]).toEqual([size, '/api/0.1/assets?limit=100&opt_fields=*&offset=1']);
  });

  it('ends the read if it refuses a request', async () => {
    answers = [(_request, response) => response.writeHead(403).end()];
    await expect(read()).rejects.toThrow(/GET .*\/api\/0\.1\/assets.*: the answer is 403/);
  });

  it('yields the newest state of an asset that changed during the read', async () => {
    answers = [page([{ id: 'a', assetType: 'basic', n: 1 }], '1'), page([{ id: 'a', assetType: 'basic', n: 2 }], '2')];
    await read();
    const newest: unknown[] = [];
    for await (const { text } of newestLinesOf(file)) newest.push(JSON.parse(text));
    expect(newest).toEqual([{ id: 'a', assetType: 'basic', n: 2 }, { offset: '2' }]);
  });
});
