import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Attackers } from '../reliability/attackers.js';
import { ASSETS, assetBody, post } from '../support/assets.js';
import { databases, type TestDatabaseKind } from '../support/databases.js';
import { expectError } from '../support/errors.js';
import { exchangeOne, head, type RawReply } from '../support/raw-socket.js';
import { basic, TestRegistry } from '../support/registry.js';

const [sqlite] = databases as [TestDatabaseKind];
const SOCKETS = 300;
/** More than the slots. */
const ENDLESS = 160;
/** Other specs use the machine too. */
const GONE_MS = 25_000;
const STARTS = ['', `GET ${ASSETS} HTTP/1.1\r\nHost: a\r\n`];

describe('a connection without a complete request head, on SQLite', () => {
  let registry: TestRegistry;
  /** Node's, of the registry. */
  let server: Server;
  let attackers: Attackers;
  /** Answers to a socket that sent nothing, and to one that sent part of a request. */
  let waiting: Promise<RawReply[]>;

  beforeAll(async () => {
    registry = await TestRegistry.start(sqlite);
    const noted = (message: unknown): void => void ({ server } = message as { server: Server });
    subscribe('http.server.request.start', noted);
    await registry.send(ASSETS);
    unsubscribe('http.server.request.start', noted);
    attackers = new Attackers(new URL(registry.url), ['slow headers', 'silent']);
    waiting = Promise.all(STARTS.map((bytes) => exchangeOne(registry.url, bytes)));
    await attackers.open(SOCKETS);
    attackers.reopens = false;
  });
  afterAll(async () => {
    attackers?.stop();
    await registry?.stop();
  });

  it('is answered among hundreds of idle sockets', async () => {
    expect(attackers.openCount).toBe(SOCKETS);
    for (let i = 0; i < 20; i++) expect((await registry.send(ASSETS)).status).toBe(200);
  });

  it('is answered 408 and closed, whether something came or nothing', async () => {
    // So that the 10 s that it waits for a head are over.
    server.headersTimeout = 1;
    for (const reply of await waiting) {
      expectError(reply, 408, 'header', 'request');
      expect(reply.headers.get('connection')).toBe('close');
    }
  });

  it('is closed soon', async () => {
    const deadline = performance.now() + GONE_MS;
    while (attackers.openCount > 0 && performance.now() < deadline) await sleep(100);
    expect(attackers.openCount).toBe(0);
  });
});

describe('bodies that do not end, with one key, on SQLite', () => {
  let registry: TestRegistry;
  let sockets: Socket[];

  beforeAll(async () => {
    registry = await TestRegistry.start(sqlite);
    const { hostname, port } = new URL(registry.url);
    sockets = Array.from({ length: ENDLESS }, () => connect(Number(port), hostname));
    // Cut sockets are counted below.
    for (const socket of sockets) socket.on('error', () => undefined);
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    const fields = ['Host: a', `Authorization: ${basic('broker')}`, 'Content-Type: application/json'];
    const begun = `${head(`POST ${ASSETS} HTTP/1.1`, ...fields, 'Content-Length: 1000')}{`;
    await Promise.all(sockets.map((socket) => new Promise((written) => void socket.write(begun, written))));
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await registry?.stop();
  });

  it('do not block writes with another key', async () => {
    for (let i = 0; i < 3; i++) expect((await post(registry, assetBody(), 'broker2')).status).toBe(201);
    expect(sockets.filter(({ destroyed }) => destroyed)).toHaveLength(0);
  });
});
