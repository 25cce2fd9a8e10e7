import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { spawnChild, succeed } from '../machine/child-process.ts';
import { cleanUpAtExit } from '../machine/clean-up-at-exit.ts';
import { findFreePort } from '../machine/free-port.ts';
import { removeFolder } from '../machine/remove-folder.ts';
import { GaleraNode, killProcessesOf } from './node.ts';
import { type GaleraPlan, type GaleraPorts, nodeOptions } from './options.ts';
import { findGaleraPrograms, type GaleraPrograms } from './programs.ts';

const DATABASE = 'registry';
const USER = 'registry';
const NODES = 3;
const PORTS_OF_NODE = 4;
/** A machine that has others to run may need some minutes for what takes seconds. */
const WHOLE_MS = 10 * 60_000;
const POLL_MS = 50;

/** A Galera cluster of our own on loopback; nothing of the machine's own server is read or touched. */
export class GaleraCluster {
  private constructor(
    readonly nodes: readonly GaleraNode[],
    /** As DATABASE_URL takes it, with every node: mysql://user:password@host:port,host:port,host:port/database. */
    readonly url: string,
    private readonly end: () => void,
  ) {}

  /** Starts three nodes one after the other, each synced, with an empty database. Ended with this process at the latest. */
  static async start(): Promise<GaleraCluster> {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'registry-galera-')));
    const nodes: GaleraNode[] = [];
    const clean = (): void => {
      nodes.forEach((node) => node.killNow());
      killProcessesOf(folder);
      removeFolder(folder);
    };
    const exit = cleanUpAtExit(clean);
    const end = (): void => {
      clean();
      exit.revoke();
    };
    try {
      // Passable for the user of the nodes, who is not root.
      chmodSync(folder, 0o755);
      const programs = await findGaleraPrograms(folder);
      const password = randomBytes(12).toString('hex');
      nodes.push(...(await planNodes(folder, programs, password)));
      await startAll(nodes, programs, password);
      const hosts = nodes.map(({ port }) => `127.0.0.1:${port}`).join(',');
      return new GaleraCluster(nodes, urlOf(password, hosts), end);
    } catch (error) {
      end();
      throw error;
    }
  }

  /**
   * Waits until all nodes are synced and agree that they are one cluster. After `thaw()` this and not `isSynced()` says when the node
   * is back: for a moment it does not know that the others left it out. A node that ended by itself meanwhile is started again, as a
   * supervisor does it.
   * @throws Error with what each node says of itself, and the end of its log
   */
  async untilWhole(): Promise<void> {
    const deadline = performance.now() + WHOLE_MS;
    while (!(await this.isWhole())) {
      if (performance.now() > deadline) throw new Error(`The nodes are still not one cluster.\n${await this.report()}`);
      for (const node of this.nodes) if (node.pid === undefined) await node.start();
      await delay(POLL_MS);
    }
  }

  private async report(): Promise<string> {
    return (await Promise.all(this.nodes.map((node) => node.report()))).join('\n');
  }

  /** Ends all nodes and removes their files. */
  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.kill()));
    this.end();
  }

  private async isWhole(): Promise<boolean> {
    const views = await Promise.all(this.nodes.map((node) => node.syncedView()));
    return views.every((view) => view?.number === views[0]?.number && view?.size === this.nodes.length);
  }
}

async function planNodes(folder: string, programs: GaleraPrograms, password: string): Promise<GaleraNode[]> {
  // No node of another cluster on this machine is ever let in.
  const plan: GaleraPlan = { cluster: `registry-${randomBytes(4).toString('hex')}`, ports: await findPorts() };
  return plan.ports.map(({ sql }, index) => {
    const name = `node${index + 1}`;
    const nodeFolder = join(folder, name);
    makeNodeFolder(nodeFolder, nodeOptions(plan, index, nodeFolder, programs), programs.user);
    return new GaleraNode({ name, folder: nodeFolder, port: sql, url: urlOf(password, `127.0.0.1:${sql}`), programs });
  });
}

function makeNodeFolder(folder: string, options: string, user: GaleraPrograms['user']): void {
  mkdirSync(folder);
  mkdirSync(join(folder, 'data'), { mode: 0o700 });
  writeFileSync(join(folder, 'my.cnf'), options);
  if (user === undefined) return;
  for (const path of [folder, join(folder, 'data')]) chownSync(path, user.uid, user.gid);
}

async function findPorts(): Promise<GaleraPorts[]> {
  const found = new Set<number>();
  while (found.size < NODES * PORTS_OF_NODE) found.add(await findFreePort());
  const ports = [...found];
  return Array.from({ length: NODES }, () => {
    const [sql, group, missed, snapshot] = ports.splice(0, PORTS_OF_NODE) as [number, number, number, number];
    return { sql, group, missed, snapshot };
  });
}

async function startAll(nodes: GaleraNode[], programs: GaleraPrograms, password: string): Promise<void> {
  const [first, ...others] = nodes as [GaleraNode, ...GaleraNode[]];
  await install(first, programs, password);
  await first.start({ newCluster: true });
  // Two nodes that join at once hinder each other for ten seconds.
  for (const node of others) await node.start();
}

/** Fills the first node's data folder; the others get a copy of it, by themselves. */
async function install(first: GaleraNode, { user }: GaleraPrograms, password: string): Promise<void> {
  const account = `'${USER}'@'127.0.0.1'`;
  const setup = [
    'FLUSH PRIVILEGES;',
    `CREATE DATABASE ${DATABASE} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;`,
    `CREATE USER ${account} IDENTIFIED BY '${password}';`,
    `GRANT ALL PRIVILEGES ON *.* TO ${account} WITH GRANT OPTION;`,
  ];
  const setupFile = join(first.folder, 'setup.sql');
  writeFileSync(setupFile, `${setup.join('\n')}\n`);
  const options = [
    '--no-defaults',
    `--datadir=${first.dataFolder}`,
    // One of its own: MariaDB begins by removing what other installers have in it now.
    `--tmpdir=${first.folder}`,
    '--auth-root-authentication-method=normal',
    '--skip-test-db',
    `--extra-file=${setupFile}`,
    ...(user === undefined ? [] : [`--user=${user.name}`]),
  ];
  await succeed(spawnChild('mariadb-install-db', options, first.logFile, true));
}

function urlOf(password: string, hosts: string): string {
  return `mysql://${USER}:${password}@${hosts}/${DATABASE}`;
}
