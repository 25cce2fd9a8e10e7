import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Attackers } from './reliability/attackers.js';
import { ASSETS } from './support/assets.js';
import { databases, type TestDatabaseKind } from './support/databases.js';
import { expectError } from './support/errors.js';
import { exchangeOne } from './support/raw-socket.js';
import { TestRegistry } from './support/registry.js';

const [sqlite] = databases as [TestDatabaseKind];
const SOCKETS = 300;
/** Heads may take 10 s; other specs use the machine too. */
const GONE_MS = 25_000;
const LONGEST_MS = 60_000;

describe('a connection on which no whole head comes', () => {
  let registry: TestRegistry;

  beforeAll(async () => {
    registry = await TestRegistry.start(sqlite);
  });
  afterAll(() => registry?.stop());

  it(
    'is answered 408 and closed, whether something came or nothing',
    async () => {
      const starts = ['', `GET ${ASSETS} HTTP/1.1\r\nHost: a\r\n`];
      for (const reply of await Promise.all(starts.map((bytes) => exchangeOne(registry.url, bytes)))) {
        expectError(reply, 408, 'header', 'request');
        expect(reply.headers.get('connection')).toBe('close');
      }
    },
    LONGEST_MS,
  );

  it(
    'is in nobody’s way, and hundreds of them are gone soon',
    async () => {
      const attackers = new Attackers(new URL(registry.url), ['slow headers', 'silent']);
      try {
        await attackers.open(SOCKETS);
        attackers.stopReopening();
        expect(attackers.held).toBe(SOCKETS);
        for (let i = 0; i < 20; i++) expect((await registry.send(ASSETS)).status).toBe(200);
        const deadline = performance.now() + GONE_MS;
        while (attackers.held > 0 && performance.now() < deadline) await sleep(100);
        expect(attackers.held).toBe(0);
      } finally {
        attackers.stop();
      }
    },
    LONGEST_MS,
  );
});
