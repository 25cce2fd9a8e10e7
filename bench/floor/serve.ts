import cluster from 'node:cluster';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Place } from './clock.js';
import { LocalTime } from './local-time.js';
import { openMysqlStore } from './mysql-store.js';
import { openSqliteStore } from './sqlite-store.js';
import type { Store } from './store.js';

/** Of one process: writes were fastest with 24 to 32, and to reads it is all the same from 4 on. */
const CONNECTIONS = 32;

/** Runs a server in as many processes as the environment says, on the database that it names. */
export async function serve(create: (store: Store, time: LocalTime, place: Place) => Promise<Server>): Promise<void> {
  const { DATABASE_URL = '', PORT = '0', WORKERS = '1', TIME_ZONE = 'UTC' } = process.env;
  const processes = Number(WORKERS);
  // Workers end with the first process, when they lose it.
  process.once('SIGTERM', () => process.exit());
  if (processes > 1 && cluster.isPrimary) return startWorkers(processes);
  const store = DATABASE_URL.startsWith('sqlite:')
    ? openSqliteStore(DATABASE_URL.slice('sqlite:'.length))
    : openMysqlStore(DATABASE_URL, CONNECTIONS);
  const place = { process: (cluster.worker?.id ?? 1) % processes, processes };
  const server = await create(store, new LocalTime(TIME_ZONE), place);
  server.listen(Number(PORT), '127.0.0.1');
  await once(server, 'listening');
  if (cluster.isPrimary) tell((server.address() as AddressInfo).port);
}

function startWorkers(count: number): void {
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  let listening = 0;
  cluster.on('listening', (_worker, { port }) => {
    if (++listening === count) tell(port);
  });
  for (let i = 0; i < count; i++) cluster.fork();
}

function tell(port: number): void {
  console.log(`It is listening on http://127.0.0.1:${port}`);
}
