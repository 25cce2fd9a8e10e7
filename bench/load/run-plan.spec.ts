import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Outcome, Plan } from './plan.js';
import { runPlan } from './run-plan.js';

const SIZE = 2_500;
const ids = Array.from({ length: SIZE }, (_, i) => String(i).padStart(32, '0'));

let server: Server;

/** A feed of 2,500 assets, whose offsets are numbers. @param statusOf the `count`th request */
async function serve(statusOf: (count: number) => number = () => 200): Promise<{ url: string; read: Set<string> }> {
  const read = new Set<string>();
  let count = 0;
  server = createServer((request: IncomingMessage, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
    const id = /\/assets\/(\w+)$/.exec(pathname)?.[1];
    if (id !== undefined) read.add(id);
    const from = Number(searchParams.get('offset'));
    const entries = ids.slice(from, from + Number(searchParams.get('limit')));
    const data = entries.map((entry) => ({ id: entry, dateModified: '' }));
    const body = JSON.stringify({ next_page: { offset: String(from + entries.length) }, data });
    response.writeHead(statusOf(count++), { 'Content-Length': Buffer.byteLength(body) }).end(body);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, read };
}

function planOf(url: string, more: Partial<Plan>): Plan {
  const pids = { service: [process.pid], database: [] };
  const usual = { kind: 'read', connections: 4, warmUpMs: 20, ms: 400, perSecond: 0, count: SIZE, size: SIZE } as const;
  return { mode: 'closed', url, seed: 1, pids, ...usual, ...more };
}

/** Once more where it was not so: the machine may have been held up for most of the time that a load takes. */
async function runUntil(isSo: (outcome: Outcome) => boolean, plan: Plan): Promise<Outcome> {
  for (;;) {
    const outcome = await runPlan(plan);
    if (isSo(outcome)) return outcome;
  }
}

describe('a load', () => {
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  it('counts answers and times after the warm-up, and what it cost', async () => {
    const { url } = await serve();
    const outcome = await runUntil(({ usage }) => usage.service > 0 && usage.machine > 0, planOf(url, {}));
    expect(outcome.answered).toBeGreaterThan(0);
    expect(outcome).toMatchObject({ failed: 0, assets: outcome.answered });
    expect(outcome.times).toHaveLength(outcome.answered);
    expect(outcome.times.every((time) => time > 0)).toBe(true);
    expect(outcome.seconds).toBeGreaterThan(0.39);
    expect(outcome.usage.rss).toBeGreaterThan(2 ** 24);
    expect(outcome.generatorCores).toBeGreaterThan(0);
  });

  it('counts answers but successes as failures', async () => {
    const { url } = await serve((count) => (count % 2 === 0 ? 200 : 503));
    const { answered, failed } = await runUntil((outcome) => outcome.failed > 0, planOf(url, {}));
    expect(Math.abs(answered - failed)).toBeLessThan(20);
  });

  it('keeps its pace, however fast it is answered', async () => {
    const { url } = await serve();
    let began = performance.now();
    const most = (): number => (200 * (performance.now() - began)) / 1_000 + 1;
    // What a machine that has much to do holds up is made up for, but where it is held up at the very end.
    await runUntil(
      ({ answered }) => {
        expect(answered).toBeLessThanOrEqual(most());
        began = performance.now();
        return answered > 60;
      },
      planOf(url, { mode: 'paced', perSecond: 200, ms: 1_000 }),
    );
  });

  it('copies by pages, so many as it shall', async () => {
    const { url, read } = await serve();
    expect(await runPlan(planOf(url, { mode: 'copy by pages' }))).toMatchObject({
      assets: SIZE,
      answered: 3,
      failed: 0,
    });
    expect(await runPlan(planOf(url, { mode: 'copy by pages', count: 1_500 }))).toMatchObject({
      assets: 1_500,
      answered: 2,
    });
    expect(read.size).toBe(0);
  });

  it('copies by reads, each asset once', async () => {
    const { url, read } = await serve();
    const outcome = await runPlan(planOf(url, { mode: 'copy by reads' }));
    expect(outcome).toMatchObject({ assets: SIZE, answered: SIZE + 3, failed: 0 });
    expect(read).toEqual(new Set(ids));
  });

  it('ends a copy where the feed ends', async () => {
    const { url } = await serve();
    const count = SIZE + 1_000;
    expect(await runPlan(planOf(url, { mode: 'copy by pages', count }))).toMatchObject({ assets: SIZE });
    expect(await runPlan(planOf(url, { mode: 'copy by reads', count }))).toMatchObject({ assets: SIZE });
  });
});
