import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, it } from '@jest/globals';
import { RegistryClient } from '../../clients/typescript/src/index.js';
import { SqliteSeen } from '../../clients/sync/src/copies/seen-log.js';
import { LogVerifier } from '../../clients/sync/src/verifying/log/log-verifier.js';
import { FakeLog } from '../support/fake-log.js';

const ENTRIES = 1_000_000;
/** Of the processor, with what the log in this process takes: what else the machine does says nothing. */
const MOST_SECONDS = 60;
/** Beside what the log in this process takes. */
const MOST_MB = 400;
const BEGIN_US = Date.UTC(2026, 10, 23) * 1_000;
const TEST_MS = 600_000;

function entry(place: number): string {
  const instant = new Date(BEGIN_US / 1_000 + place).toISOString().replace('Z', '000Z');
  const id = place.toString(16).padStart(32, '0');
  return JSON.stringify({
    id,
    date: instant,
    dateModified: instant,
    commitment: Buffer.alloc(32, place).toString('base64'),
  });
}

it(
  'a log of a million entries is verified from nothing within a minute, and again',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'log-million-'));
    const log = new FakeLog();
    for (let place = 0; place < ENTRIES; place++) log.put(place, entry(place), { opening: null, asset: null });
    log.publish();
    const server = createServer((request, response) => {
      const path = (request.url ?? '').slice('/api/0.1/'.length);
      const answer =
        path === 'spore' ? JSON.stringify({ log: log.identity }) : log.answer(path.slice(4), new URLSearchParams());
      response.writeHead(answer === undefined ? 404 : 200).end(answer);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const client = new RegistryClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const seen = SqliteSeen.open(join(folder, 'seen.sqlite'));
    const before = process.memoryUsage.rss();
    let most = before;
    const trust = { logKeys: [], witnesses: [], acceptRestore: false };
    const told = (): void => void (most = Math.max(most, process.memoryUsage.rss()));
    const seconds: number[] = [];
    for (let i = 0; i < 2; i++) {
      const begun = process.cpuUsage();
      const verified = await new LogVerifier(client.logFiles, seen, trust, told).run();
      expect(verified).toEqual({ origin: log.origin, size: ENTRIES, otherKeys: [] });
      const { user, system } = process.cpuUsage(begun);
      seconds.push((user + system) / 1e6);
    }
    process.stderr.write(`${JSON.stringify({ seconds, moreMb: (most - before) / 2 ** 20 })}\n`);
    await seen.close();
    await client.close();
    server.close();
    rmSync(folder, { recursive: true });
    expect(Math.max(...seconds)).toBeLessThan(MOST_SECONDS);
    expect((most - before) / 2 ** 20).toBeLessThan(MOST_MB);
  },
  TEST_MS,
);
