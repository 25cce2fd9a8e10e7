import { beforeAll, describe, expect, it } from '@jest/globals';
import { ASSETS, assetBody, createIn, type JsonObject, type Owned, publish, read } from '../support/assets.js';
import { embedded } from '../support/databases.js';
import { expectError } from '../support/errors.js';
import { exchangeOne, head } from '../support/raw-socket.js';
import { basic } from '../support/registry.js';
import { servedRegistry } from '../support/served-registry.js';

/** A write that is right until a fault is put into it. */
interface Write {
  method: 'POST' | 'PATCH';
  path: string;
  query: string;
  headers: [string, string][];
  data: JsonObject;
  /** Makes the body's text of `data`. */
  print: (data: JsonObject) => string;
}

interface FaultCase {
  name: string;
  /** Faults in the same part of a request exclude each other. */
  part: string;
  spoil: (write: Write) => void;
  answer: [status: number, location: 'header' | 'body', name: string];
}

const faultCase = (name: string, part: string, answer: FaultCase['answer'], spoil: FaultCase['spoil']): FaultCase => ({
  name,
  part,
  answer,
  spoil,
});

const set = (write: Write, name: string, value: string | undefined): void => {
  write.headers = write.headers.filter(([other]) => other !== name);
  if (value !== undefined) write.headers.push([name, value]);
};
/** The asset's fields stay in it, wrong ones too, so that only the order decides. */
const tooLarge = (data: JsonObject): string => JSON.stringify({ data }) + ' '.repeat(5_000);
const repeatsKey = (data: JsonObject): string => `{"data":${JSON.stringify(data)},"data":${JSON.stringify(data)}}`;

const HEAD_FAULTS: FaultCase[] = [
  faultCase('400 URL', 'path', [400, 'header', 'path'], (write) => (write.path += '%zz')),
  faultCase('400 query', 'query', [400, 'header', 'limit'], (write) => (write.query = '?limit=1&limit=2')),
  faultCase('400 headers', 'Host', [400, 'header', 'Host'], (write) => write.headers.push(['Host', 'y'])),
  faultCase('415', 'Content-Type', [415, 'header', 'Content-Type'], (write) =>
    set(write, 'Content-Type', 'text/plain'),
  ),
  faultCase('401', 'key', [401, 'header', 'Authorization'], (write) => set(write, 'Authorization', basic('unknown'))),
];
const BODY_FAULTS: FaultCase[] = [
  faultCase('413', 'print', [413, 'body', 'data'], (write) => (write.print = tooLarge)),
  faultCase('422 body', 'print', [422, 'body', 'data'], (write) => (write.print = repeatsKey)),
];
const FIELDS_FAULT = faultCase('422 fields', 'title', [422, 'body', 'title'], (write) => (write.data['title'] = ''));

const POST_FAULTS: FaultCase[] = [
  ...HEAD_FAULTS,
  faultCase('403 role', 'key', [403, 'header', 'Authorization'], (write) =>
    set(write, 'Authorization', basic('concierge')),
  ),
  ...BODY_FAULTS,
  faultCase('403 field', 'owner', [403, 'body', 'owner'], (write) => (write.data['owner'] = 'broker2')),
  FIELDS_FAULT,
];

const patchFaults = (final: () => Owned): FaultCase[] => [
  ...HEAD_FAULTS,
  ...BODY_FAULTS,
  faultCase('404', 'path', [404, 'header', 'id'], (write) => (write.path = `${ASSETS}/${'0'.repeat(32)}`)),
  faultCase('403 token', 'token', [403, 'header', 'X-Access-Token'], (write) =>
    set(write, 'X-Access-Token', undefined),
  ),
  faultCase('412 If-Match', 'If-Match', [412, 'header', 'If-Match'], (write) => set(write, 'If-Match', '"x"')),
  faultCase('403 state', 'path', [403, 'body', 'data'], (write) => {
    write.path = `${ASSETS}/${final().id}`;
    // Only the right token: another fault may have taken it away.
    if (write.headers.some(([name]) => name === 'X-Access-Token')) set(write, 'X-Access-Token', final().token);
    write.data['title'] ??= 'x';
  }),
  faultCase('403 move', 'status', [403, 'body', 'data'], (write) => (write.data['status'] = 'complete')),
  faultCase('403 field', 'owner', [403, 'body', 'owner'], (write) => (write.data['owner'] = 'broker2')),
  FIELDS_FAULT,
];

/** Every pair of faults that one request can have, the one reported first in front. */
function pairs(faults: FaultCase[]): { earlier: FaultCase; later: FaultCase; title: string }[] {
  return faults.flatMap((earlier, i) =>
    faults
      .slice(i + 1)
      .filter((later) => later.part !== earlier.part)
      .map((later) => ({ earlier, later, title: `${earlier.name} before ${later.name}` })),
  );
}

describe.each(embedded)('the order of checks, also in dry runs, on $name', (kind) => {
  const registry = servedRegistry(kind, { BODY_LIMIT: '4kb' });
  let owned: Owned;
  let deleted: Owned;
  const PATCH_FAULTS = patchFaults(() => deleted);

  beforeAll(async () => {
    owned = await publish(registry);
    deleted = await createIn(registry, 'deleted');
  });

  const rightPost = (): Write => ({
    method: 'POST',
    path: ASSETS,
    query: '',
    headers: [
      ['Content-Type', 'application/json'],
      ['Authorization', basic('broker')],
    ],
    data: assetBody().data,
    print: (data) => JSON.stringify({ data }),
  });
  const rightPatch = (): Write => ({
    ...rightPost(),
    method: 'PATCH',
    path: `${ASSETS}/${owned.id}`,
    headers: [...rightPost().headers, ['X-Access-Token', owned.token]],
    data: {},
  });

  /** Over a socket, for fetch joins headers that are given twice. */
  function send({ method, path, query, headers, data, print }: Write): ReturnType<typeof exchangeOne> {
    const body = print(data);
    const lines = headers.map(([name, value]) => `${name}: ${value}`);
    const length = `Content-Length: ${Buffer.byteLength(body)}`;
    const requestHead = head(`${method} ${path}${query} HTTP/1.1`, 'Host: x', 'Connection: close', length, ...lines);
    return exchangeOne(registry.url, requestHead + body);
  }

  /** A dry run, if the request has one, is refused in the same words. */
  async function expectRefused(write: Write, { answer }: FaultCase): Promise<void> {
    const refusal = await send(write);
    expectError(refusal, ...answer);
    const dryRun = await send({ ...write, query: `${write.query === '' ? '?' : `${write.query}&`}dry_run=1` });
    expect([dryRun.status, dryRun.text]).toEqual([refusal.status, refusal.text]);
  }

  describe('POST', () => {
    it('without a fault it is 201', async () => {
      expect((await send(rightPost())).status).toBe(201);
    });

    it.each(POST_FAULTS)('$name alone', async (fault) => {
      const write = rightPost();
      fault.spoil(write);
      await expectRefused(write, fault);
    });

    it.each(pairs(POST_FAULTS))('$title', async ({ earlier, later }) => {
      const write = rightPost();
      earlier.spoil(write);
      later.spoil(write);
      await expectRefused(write, earlier);
    });
  });

  describe('PATCH', () => {
    it('without a fault it is 200', async () => {
      expect((await send(rightPatch())).status).toBe(200);
    });

    it.each(PATCH_FAULTS)('$name alone', async (fault) => {
      const write = rightPatch();
      fault.spoil(write);
      await expectRefused(write, fault);
    });

    it.each(pairs(PATCH_FAULTS))('$title', async ({ earlier, later }) => {
      const write = rightPatch();
      earlier.spoil(write);
      later.spoil(write);
      await expectRefused(write, earlier);
    });

    it('a refused one changes nothing', async () => {
      expect((await read(registry, owned)).json.data).toEqual(owned.asset);
    });
  });
});
