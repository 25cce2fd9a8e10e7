import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { copies, type TestCopy, type TestCopyKind } from '../support/copies.js';
import { syncCommand } from '../support/sync-command.js';

const [sqlite] = copies as [TestCopyKind];
const FAILED = 1;

interface Entry {
  id: string;
  dateModified: string;
}

function asset(i: number): Entry {
  const dateModified = `2026-01-01T00:00:00.${String(i).padStart(6, '0')}+00:00`;
  const others = { assetID: `UA-${i}`, assetType: 'basic', status: 'pending', owner: 'o', date: dateModified };
  return { id: String(i).padStart(32, '0'), ...others, dateModified };
}

const ASSETS = Array.from({ length: 10 }, (_, i) => asset(i + 1));

/* The registry, or a proxy before it, may be broken. */
describe('registry-sync', () => {
  let server: Server;
  let url: string;
  let copy: TestCopy;
  let requests: number;
  let answer: (query: URLSearchParams) => { status?: number; body: unknown };

  beforeEach(async () => {
    requests = 0;
    server = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://registry');
      requests++;
      const { status = 200, body } = pathname === '/api/0.1/assets' ? answer(searchParams) : { status: 404, body: {} };
      response.writeHead(status, { 'feed-epoch': 'e' });
      response.end(JSON.stringify(body));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    copy = await sqlite.create();
  });
  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await copy.drop();
  });

  const page = (data: readonly Entry[], offset = data.at(-1)?.dateModified ?? ''): { body: unknown } => ({
    body: { data, next_page: { offset } },
  });
  const listed = (query: URLSearchParams): { body: unknown } => {
    const [offset, isDescending] = [query.get('offset') ?? '', query.has('descending')];
    const isAsked = ({ dateModified }: Entry): boolean =>
      offset === '' || (isDescending ? dateModified < offset : dateModified > offset);
    const all = (isDescending ? ASSETS.toReversed() : ASSETS).filter(isAsked);
    return page(all.slice(0, Number(query.get('limit'))), all.length === 0 ? offset : undefined);
  };

  it.each([[], ['--newest-first']])('does not read the same page forever (%j)', async (...words) => {
    // A cache that ignores the query; its next_page differs.
    answer = (query) => (query.get('limit') === '1' ? listed(query) : page(ASSETS, String(requests)));
    const { code, stderr } = await syncCommand(url, '--to', copy.target, ...words);
    expect([code, stderr]).toEqual([
      FAILED,
      expect.stringContaining('out of order: this is not the page that was requested'),
    ]);
    expect(requests).toBeLessThan(10);
  });

  it('stores no position that it has not reached', async () => {
    answer = (query) => (query.has('descending') ? listed(query) : page([asset(1), asset(3), asset(2)]));
    const { code, stderr } = await syncCommand(url, '--to', copy.target);
    expect([code, stderr]).toEqual([FAILED, expect.stringContaining(`sent asset ${asset(2).id}`)]);
    expect((await copy.documents()).size).toBe(0);
  });

  it('verifies no page forever', async () => {
    answer = listed;
    expect((await syncCommand(url, '--to', copy.target)).code).toBe(0);
    const [first] = ASSETS as [Entry];
    const end = ASSETS.at(-1)?.dateModified;
    answer = (query) =>
      query.has('descending') || query.get('offset') === end ? listed(query) : page([first], String(requests));
    const { code, stderr } = await syncCommand('verify', url, copy.target, '--documents');
    expect([code, stderr]).toEqual([FAILED, expect.stringContaining(`sent asset ${first.id}`)]);
  });

  it('shows nothing that moves the cursor of a terminal', async () => {
    answer = () => ({
      status: 400,
      body: { errors: [{ name: 'x', description: '\u001b[2J\u009b2J\u0007\u202eevil' }] },
    });
    const { code, stderr } = await syncCommand(url, '--to', copy.target);
    expect([code, stderr.split('\n').at(-2)]).toEqual([
      FAILED,
      'registry-sync: GET /api/0.1/assets was answered with 400 (x: \ufffd[2J\ufffd2J\ufffd\ufffdevil)',
    ]);
  });

  it.each(['a closed pipe', 'a full disk'])('ends in order, and reports that, if its output is %s', async (end) => {
    answer = listed;
    await syncCommand(url, '--to', copy.target);
    const full = end === 'a full disk' ? openSync('/dev/full', 'w') : undefined;
    // It begins when its reader has gone.
    const words = [process.execPath, 'clients/sync/dist/main.js', 'status', copy.target];
    const child = spawn('sh', ['-c', 'read begin; exec "$@"', 'sh', ...words], {
      stdio: ['pipe', full ?? 'pipe', 'pipe'],
    });
    child.stdout?.destroy();
    child.stdin?.end('begin\n');
    if (full !== undefined) closeSync(full);
    let stderr = '';
    child.stderr?.on('data', (bytes: Buffer) => (stderr += bytes.toString()));
    const [code] = (await once(child, 'close')) as [number];
    expect([code, stderr]).toEqual([
      FAILED,
      expect.stringMatching(/^registry-sync: cannot write to standard output: .*(?:EPIPE|ENOSPC).*\n$/),
    ]);
  });
});
