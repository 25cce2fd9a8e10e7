import { mkdtempSync } from 'node:fs';
import { tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import { cleanUpAtExit } from '../scripts/machine/clean-up-at-exit.js';
import { removeFolder } from '../scripts/machine/remove-folder.js';
import { obtainServerProgram } from '../scripts/machine/server-program.js';
import { PrivateServer } from '../test/support/private-server.js';
import { builtService, ServiceProcess } from '../test/support/process.js';
import { until } from '../test/support/until.js';
import { TIME_ZONE } from './data-set.js';
import type { Pids } from './usage.js';

export const DATABASES = ['mariadb', 'sqlite'] as const;
export type DatabaseName = (typeof DATABASES)[number];

/** Servers in the order of the columns of the table. */
export const SERVERS = ['floor', 'Fastify', 'registry'] as const;
type ServerName = (typeof SERVERS)[number];

export interface Target {
  url: string;
  pids: Pids;
  stop(): Promise<void>;
}

interface Databases {
  origin: string;
  pid: number | undefined;
  /** @returns DATABASE_URL of a new, empty database */
  create(name: string): Promise<string>;
  stop(): Promise<void>;
}

/** Starts a private MariaDB with durable commits, or makes a folder for SQLite files; `stop` removes either. */
export function openDatabases(name: DatabaseName): Promise<Databases> {
  return name === 'mariadb' ? openServer() : openFiles();
}

async function openFiles(): Promise<Databases> {
  const folder = mkdtempSync(join(tmpdir(), 'registry-bench-'));
  const end = cleanUpAtExit(() => removeFolder(folder));
  return {
    origin: 'SQLite',
    pid: undefined,
    create: async (name) => `sqlite:${join(folder, `${name}.sqlite`)}`,
    stop: async () => {
      removeFolder(folder);
      end.revoke();
    },
  };
}

async function openServer(): Promise<Databases> {
  const bufferPool = Math.floor(totalmem() / 4);
  const server = await PrivateServer.start(await obtainServerProgram(), { bufferPool });
  const connection = await createConnection(server.url);
  const [rows] = await connection.query({ sql: 'SELECT VERSION()', rowsAsArray: true });
  return {
    origin: `MariaDB ${String((rows as unknown[][])[0])}`,
    pid: server.pid,
    create: async (name) => {
      await connection.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4`);
      return Object.assign(new URL(server.url), { pathname: name }).href;
    },
    stop: async () => {
      await connection.end();
      await server.stop();
    },
  };
}

/** Starts one process of a server. */
export async function startTarget(
  name: ServerName,
  databaseUrl: string,
  database: number | undefined,
): Promise<Target> {
  const own = [join(import.meta.dirname, 'serve.js'), name.toLowerCase()];
  // The data set is years old, and without this the registry would reject the jump of the clock.
  const env = { DATABASE_URL: databaseUrl, TIME_ZONE, CLOCK_MAX_JUMP: '99999d' };
  const service = await ServiceProcess.start(env, name === 'registry' ? [builtService()] : own);
  const abandon = cleanUpAtExit(() => service.signal('SIGKILL'));
  if (name === 'registry') await until(() => isIndexed(service.url));
  return {
    url: service.url,
    pids: { service: service.pid, database },
    stop: async () => {
      await service.kill('SIGTERM');
      abandon.revoke();
    },
  };
}

/** Whether the service is ready and its search index is built: building it would take CPU time from the first measurements. */
async function isIndexed(url: string): Promise<boolean> {
  // A search request waits until indexing has begun.
  const searched = await fetch(`${url}/api/0.1/assets/search?limit=1`);
  await searched.arrayBuffer();
  const health = await fetch(`${url}/health/ready`);
  return health.status === 200 && !(await health.text()).includes('is being built');
}
