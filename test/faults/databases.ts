import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createConnection } from 'mysql2/promise';
import { GaleraCluster, type GaleraNode } from './galera.js';
import { obtainServerProgram } from '../../scripts/machine/server-program.js';
import { PrivateServer, type PrivateServerOptions } from '../support/private-server.js';

export const DATABASE_KINDS = ['sqlite', 'mariadb', 'mariadb without binary log', 'galera'] as const;
export type DatabaseKind = (typeof DATABASE_KINDS)[number];

/** A node that wakes up may be left out only then. And what the next one costs must not be counted with what this one did. */
const SETTLE_MS = 1_500;

/** A node that is back before the others have left its former life out makes them begin again: see docs/operations/database.md, "Galera". */
const LEFT_OUT_MS = 3_000;

/** One server process of the run's own, which may be killed and frozen. In a cluster this waits until the others are all there. */
export interface Host {
  /** mysql://user:password@host:port/database of this one alone. */
  url: string;
  kill(): Promise<void>;
  /** Starts it after `kill`; resolves when it works again. */
  restart(): Promise<void>;
  freeze(): Promise<void>;
  /** Goes on at once; resolves when it works again. */
  thaw(): Promise<void>;
}

/** What the services of a run keep their assets in. */
export interface Database {
  /** As DATABASE_URL takes it. */
  url: string;
  /** None on SQLite, several in a cluster. */
  hosts: readonly Host[];
  stop(): Promise<void>;
}

/**
 * @param folder where a database without a server has its file
 * @throws NotInstalledError where no server of the run's own can be had; one that is there and does not start is a failure
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
  const turns = new Turns();
  const hosts = cluster.nodes.map((node) => hostInCluster(node, cluster, turns));
  return { url: cluster.url, hosts, stop: () => cluster.stop() };
}

function hostInCluster(node: GaleraNode, cluster: GaleraCluster, turns: Turns): Host {
  const comeBack = async (): Promise<void> => {
    await cluster.untilWhole();
    await sleep(SETTLE_MS);
    await cluster.untilWhole();
    await sleep(SETTLE_MS);
    turns.end();
  };
  return {
    url: node.url,
    kill: async () => {
      await turns.begin();
      await node.kill();
    },
    restart: async () => {
      await sleep(LEFT_OUT_MS);
      await node.start();
      await comeBack();
    },
    freeze: async () => {
      await turns.begin();
      node.signal('SIGSTOP');
    },
    thaw: () => {
      node.signal('SIGCONT');
      return comeBack();
    },
  };
}

/** Three nodes have a majority only while one at a time is away. */
class Turns {
  private last = Promise.resolve();
  end = (): void => undefined;

  async begin(): Promise<void> {
    const before = this.last;
    let end = this.end;
    this.last = new Promise((resolve) => (end = resolve));
    await before;
    this.end = end;
  }
}
