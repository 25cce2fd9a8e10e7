import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createConnection } from 'mysql2/promise';
import { GaleraCluster, type GaleraNode } from './galera.js';
import { obtainServerProgram } from '../../scripts/machine/server-program.js';
import { PrivateServer, type PrivateServerOptions } from '../support/private-server.js';

export const DATABASE_KINDS = ['sqlite', 'mariadb', 'mariadb without binary log', 'galera'] as const;
export type DatabaseKind = (typeof DATABASE_KINDS)[number];

/** After a thaw: only then may the cluster evict the node. The pause also separates the effects of one fault from the next. */
const SETTLE_MS = 1_500;

/** A node that rejoins before the others have evicted its former incarnation restarts the election: see docs/operations/database.md, "Galera". */
const EVICTION_MS = 3_000;

/** A private server process that may be killed and frozen. In a cluster, methods wait until all other nodes are members. */
export interface Host {
  /** mysql://user:password@host:port/database of this process. */
  url: string;
  kill(): Promise<void>;
  /** Starts it after `kill`; resolves when it answers again. */
  restart(): Promise<void>;
  freeze(): Promise<void>;
  /** Continues it at once; resolves when it answers again. */
  thaw(): Promise<void>;
}

/** The database of a run's services. */
export interface Database {
  /** DATABASE_URL. */
  url: string;
  /** None on SQLite, several in a cluster. */
  hosts: readonly Host[];
  stop(): Promise<void>;
}

/**
 * @param folder for SQLite's file
 * @throws NotInstalledError if no server program can be obtained; a server that does not start is another error
 */
export async function startDatabase(kind: DatabaseKind, folder: string): Promise<Database> {
  if (kind === 'sqlite') {
    return {
      url: `sqlite:${join(folder, 'registry.sqlite')}`,
      hosts: [],
      stop: async () => undefined,
    };
  }
  return kind === 'galera' ? startCluster() : startServer({ binaryLog: kind === 'mariadb' });
}

async function startServer(options: PrivateServerOptions): Promise<Database> {
  const server = await PrivateServer.start(await obtainServerProgram(), options);
  const url = new URL(server.url);
  await createDatabase(url);
  url.pathname = 'registry';
  return { url: url.href, hosts: [hostOf(server, url.href)], stop: () => server.stop() };
}

async function createDatabase(url: URL): Promise<void> {
  const connection = await createConnection(url.href);
  await connection.query('CREATE DATABASE registry CHARACTER SET utf8mb4');
  await connection.end();
}

function hostOf(server: PrivateServer, url: string): Host {
  return {
    url,
    kill: () => server.kill(),
    restart: () => server.restart(),
    freeze: async () => server.signal('SIGSTOP'),
    thaw: async () => server.signal('SIGCONT'),
  };
}

async function startCluster(): Promise<Database> {
  const cluster = await GaleraCluster.start();
  const mutex = new Mutex();
  const hosts = cluster.nodes.map((node) => hostInCluster(node, cluster, mutex));
  return { url: cluster.url, hosts, stop: () => cluster.stop() };
}

function hostInCluster(node: GaleraNode, cluster: GaleraCluster, mutex: Mutex): Host {
  const untilRejoined = async (): Promise<void> => {
    await cluster.untilSynced();
    await sleep(SETTLE_MS);
    await cluster.untilSynced();
    await sleep(SETTLE_MS);
    mutex.unlock();
  };
  return {
    url: node.url,
    kill: async () => {
      await mutex.lock();
      await node.kill();
    },
    restart: async () => {
      await sleep(EVICTION_MS);
      await node.start();
      await untilRejoined();
    },
    freeze: async () => {
      await mutex.lock();
      node.signal('SIGSTOP');
    },
    thaw: () => {
      node.signal('SIGCONT');
      return untilRejoined();
    },
  };
}

/** Lets one node at a time be down, because three nodes need two for a majority. */
class Mutex {
  private last = Promise.resolve();
  unlock = (): void => undefined;

  async lock(): Promise<void> {
    const before = this.last;
    let unlock = this.unlock;
    this.last = new Promise((resolve) => (unlock = resolve));
    await before;
    this.unlock = unlock;
  }
}
