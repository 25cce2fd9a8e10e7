/*
 * Runs the bench server `floor` or `fastify` on the database that the environment names, and prints its address as the service does.
 */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createFastify } from './fastify/server.js';
import { createFloor } from './floor/server.js';
import { Store } from './floor/store.js';

/** Writes were fastest with 24 to 32 connections; for reads the number does not matter from 4 on. */
const CONNECTIONS = 32;

process.once('SIGTERM', () => process.exit());
const create = process.argv[2] === 'floor' ? createFloor : createFastify;
const server = await create(Store.open(process.env.DATABASE_URL ?? '', CONNECTIONS));
await once(server.listen(0, '127.0.0.1'), 'listening');
console.log(`It is listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
