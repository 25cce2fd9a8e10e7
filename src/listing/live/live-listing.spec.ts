import { EventEmitter, once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { WallClock } from '../../feed/clock/wall-clock.js';
import type { FeedRange } from '../../database/readers/feed-reader.js';
import { SettledWatermark } from '../../feed/watermarks.js';
import type { FeedPage } from '../../feed/reading/exact-feed.js';
import { openStream } from '../../http/answer.js';
import { callerOf } from '../../http/caller.js';
import type { RegistryRequest, RegistryResponse } from '../../http/request.js';
import type { RateLimits } from '../../http/limits/rate-limits.js';
import { type FeedPages, lastEventUs } from '../feed-pages.js';
import { logger } from '../../platform/logging/logger.js';
import { RegistryTime } from '../../platform/time/registry-time.js';
import { LiveListing } from './live-listing.js';

const time = new RegistryTime('UTC');
/** Makes the first page larger than the socket buffers. */
const LARGE = 'x'.repeat(256 * 1024);

/** The last instant of the feed; the first is 1. */
let lastUs: number;
let settled: SettledWatermark;
let live: LiveListing;
let server: Server;
let clients: Socket[];
/** Reads wait for it. */
let readable: Promise<void>;

beforeEach(async () => {
  logger.level = 'silent';
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'setTimeout', 'clearTimeout', 'queueMicrotask'] });
  [lastUs, clients, settled, readable] = [64, [], new SettledWatermark(), Promise.resolve()];
  const feed = {
    read: async (range: FeedRange, print: (page: FeedPage) => unknown) => {
      await readable;
      return print({ ...pageOf(range), epoch: 'one' });
    },
  };
  const limits = { clientOf: (request: { from?: string }) => request.from ?? 'here', chargePage: () => 0 };
  live = new LiveListing(
    feed as unknown as FeedPages,
    time,
    limits as unknown as RateLimits,
    settled,
    new WallClock(),
    { sent: () => undefined },
  );
  const answer = async (request: RegistryRequest, response: RegistryResponse): Promise<void> => {
    const waiting = { request, caller: callerOf(response), afterUs: lastEventUs(request, time) ?? -1 };
    openStream(response, await live.follow(waiting, []));
  };
  server = createServer((request, response) => void answer(request as RegistryRequest, response as RegistryResponse));
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterEach(async () => {
  for (const client of clients) client.destroy();
  await live.end();
  server.closeAllConnections();
  await once(server.close(), 'close');
  jest.restoreAllMocks();
  jest.useRealTimers();
});

function pageOf({ afterUs, newestFirst, limit }: FeedRange): Omit<FeedPage, 'epoch'> {
  const all = Array.from({ length: lastUs }, (_, i) => ({ id: LARGE, modifiedUs: i + 1, asset: undefined }));
  return { limit, entries: newestFirst ? all.slice(-1) : all.filter(({ modifiedUs }) => modifiedUs > afterUs) };
}

/** @returns the client's and the service's socket */
async function follow(lastId = ''): Promise<[client: Socket, service: Socket]> {
  const connected = once(server, 'connection');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  clients.push(client.on('error', () => undefined));
  const [service] = (await connected) as [Socket];
  client.write(`GET / HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\nLast-Event-ID: ${lastId}\r\n\r\n`);
  return [client, service];
}

/** Reads until the stream ends or the last event has arrived. @returns the ids of complete events */
async function idsOf(client: Socket): Promise<string[]> {
  const ids: string[] = [];
  let rest = '';
  client.on('data', (bytes: Buffer) => {
    const events = (rest + bytes.toString('latin1')).split('\n\n');
    rest = events.pop() as string;
    ids.push(...events.flatMap((event) => /event: change\ndata: .*\nid: (\S+)$/.exec(event)?.[1] ?? []));
  });
  client.resume();
  while (!client.closed && ids.at(-1) !== time.print(lastUs)) await setImmediate();
  return ids;
}

it('writes nothing more to a follower that does not read, disconnects it, and resumes from its last event', async () => {
  const [client, service] = await follow();
  client.pause();
  while (!service.writableNeedDrain) await setImmediate();
  const written = service.bytesWritten;
  const [other] = await follow(time.print(lastUs));
  while (live.counts.streams === 1) await setImmediate();
  lastUs += 3;
  settled.raise(lastUs);
  // The loop serves it after the first one.
  expect(await idsOf(other)).toHaveLength(3);
  expect(service.bytesWritten).toBe(written);
  other.destroy();
  // The server's time-out is a minute.
  service.setTimeout(100);
  while (live.counts.streams > 0) await setImmediate();
  expect(service.destroyed).toBe(true);
  const read = await idsOf(client);
  expect(read.length).toBeLessThan(lastUs);
  const [again] = await follow(read.at(-1));
  const all = [...read, ...(await idsOf(again))];
  expect(all).toEqual(Array.from({ length: lastUs }, (_, i) => time.print(i + 1)));
});

it('leaves no listeners on an answer that waits repeatedly', async () => {
  const response = Object.assign(new EventEmitter(), { destroyed: false, req: { socket: { setTimeout: jest.fn() } } });
  const caller = callerOf(response as unknown as RegistryResponse);
  const waiting = { request: response.req, caller, afterUs: lastUs - 1 } as unknown as Parameters<
    LiveListing['wait']
  >[0];
  for (let i = 0; i < 3; i++) expect(await live.wait(waiting, 'one', performance.now() + 60_000)).toBe(true);
  expect(response.listenerCount('close')).toBe(0);
});

it('answers 503 to a follower that is evicted before its first page, and serves the others', async () => {
  let allow: () => void = () => undefined;
  readable = new Promise((resolve) => (allow = resolve));
  const caller = { isGone: () => false, whenGone: () => () => undefined, chargeWork: () => undefined };
  const followed = (from: string): Promise<string> => {
    const request = { from, url: '/', headers: {} };
    const waiting = { request, caller, afterUs: lastUs } as unknown as Parameters<LiveListing['follow']>[0];
    return live.follow(waiting, []).then(
      () => 'a stream',
      ({ status }: { status: number }) => String(status),
    );
  };
  const results: Promise<string>[] = [];
  // One more than the maximum.
  for (; live.counts.waits === results.length; results.push(followed('there')));
  const other = followed('elsewhere');
  expect(live.counts.waits).toBe(results.length - 1);
  allow();
  const [first, ...others] = await Promise.all(results);
  expect([first, others.pop(), new Set(others), await other]).toEqual([
    '503',
    '503',
    new Set(['a stream']),
    'a stream',
  ]);
});
