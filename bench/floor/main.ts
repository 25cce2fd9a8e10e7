/*
 * node .tools/bench/floor/main.js: the floor as a service, configured as the registry is: DATABASE_URL, PORT, WORKERS, TIME_ZONE.
 */
import cluster from 'node:cluster';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { LocalTime } from './local-time.js';
import { openMysqlStore } from './mysql-store.js';
import { createFloor } from './server.js';
import { openSqliteStore } from './sqlite-store.js';

/** Of one process: writes were fastest with 24 to 32, and to reads it is all the same from 4 on. */
const CONNECTIONS = 32;

const { DATABASE_URL = '', PORT = '0', WORKERS = '1', TIME_ZONE = 'UTC' } = process.env;
const workers = Number(WORKERS);

// Workers end with the first process, when they lose it.
process.once('SIGTERM', () => process.exit());

if (workers > 1 && cluster.isPrimary) {
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  let listening = 0;
  cluster.on('listening', (_worker, { port }) => {
    if (++listening === workers) tell(port);
  });
  for (let i = 0; i < workers; i++) cluster.fork();
} else {
  const store = DATABASE_URL.startsWith('sqlite:')
    ? openSqliteStore(DATABASE_URL.slice('sqlite:'.length))
    : openMysqlStore(DATABASE_URL, CONNECTIONS);
  const server = await createFloor(store, new LocalTime(TIME_ZONE), {
    process: (cluster.worker?.id ?? 1) % workers,
    processes: workers,
  });
  server.listen(Number(PORT), '127.0.0.1');
  await once(server, 'listening');
  if (cluster.isPrimary) tell((server.address() as AddressInfo).port);
}

function tell(port: number): void {
  console.log(`The floor is listening on http://127.0.0.1:${port}`);
}
