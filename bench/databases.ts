import { mkdirSync, statfsSync } from 'node:fs';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import { takeServerProgram } from '../scripts/machine/server-program.js';
import { startPrivateServer } from '../test/support/private-server.js';
import { type ByServer, SERVERS } from './servers.js';

export const DATABASES = ['mariadb', 'sqlite'] as const;
export type DatabaseName = (typeof DATABASES)[number];

/** Where the data sets of one run are. */
export interface Databases {
  /** What it is, for the report. */
  origin: string;
  /** Of the server; none where there is no server. */
  pids: number[];
  /** Empty, or as an earlier run left it. */
  urlsFor(size: number): Promise<Required<ByServer<string>>>;
  stop(): Promise<void>;
}

const TMPFS = 0x01021994;

/** @param folder on a disk, where the data are and stay */
export async function openDatabases(name: DatabaseName, folder: string): Promise<Databases> {
  mkdirSync(folder, { recursive: true });
  if (statfsSync(folder).type === TMPFS) throw new Error(`${folder} is no disk: a commit would be durable at once`);
  return name === 'sqlite' ? openFiles(folder) : openServer(folder);
}

function openFiles(folder: string): Databases {
  const url = (name: string, size: number): string => `sqlite:${join(folder, `${name}-${size}.sqlite`)}`;
  return {
    origin: 'SQLite',
    pids: [],
    urlsFor: async (size) => ({
      floor: url('floor', size),
      fastify: url('fastify', size),
      registry: url('registry', size),
    }),
    stop: async () => undefined,
  };
}

/** As in production: each commit flushed, the binary log synced; and half of the machine's memory for pages. */
async function openServer(folder: string): Promise<Databases> {
  const keptIn = join(folder, 'mariadb');
  mkdirSync(keptIn, { recursive: true });
  const bufferPool = Math.floor(totalmem() / 2);
  const server = await startPrivateServer(await takeServerProgram(), { bufferPool, keptIn });
  const urlOf = (name: string): string => Object.assign(new URL(server.url), { pathname: name }).href;
  return {
    origin: await versionOf(server.url),
    pids: [server.pid],
    urlsFor: async (size) => {
      for (const name of SERVERS)
        await ask(server.url, `CREATE DATABASE IF NOT EXISTS ${name}_${size} CHARACTER SET utf8mb4`);
      await ask(server.url, 'PURGE BINARY LOGS BEFORE NOW()');
      return { floor: urlOf(`floor_${size}`), fastify: urlOf(`fastify_${size}`), registry: urlOf(`registry_${size}`) };
    },
    stop: () => server.stop(),
  };
}

async function versionOf(url: string): Promise<string> {
  return `MariaDB ${String(await ask(url, 'SELECT VERSION()'))}`;
}

/** @returns the first column of the first row */
export async function ask(url: string, sql: string): Promise<unknown> {
  const connection = await createConnection(url);
  try {
    const [rows] = await connection.query({ sql, rowsAsArray: true });
    return Array.isArray(rows) ? (rows as unknown[][])[0]?.[0] : undefined;
  } finally {
    await connection.end();
  }
}
