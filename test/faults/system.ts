import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import { cleanUpAtExit } from '../support/clean-up-at-exit.js';
import { findFreePort } from '../support/free-port.js';
import { installMariaDb } from '../support/install-mariadb.js';
import {
  findServerBinary,
  type PrivateServer,
  type PrivateServerOptions,
  startPrivateServer,
} from '../support/private-server.js';
import { runCli, ServiceProcess } from '../support/process.js';
import { zoneAtNoon } from '../support/registry.js';
import { removeFolder } from '../support/remove-folder.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { FakeClock } from './fake-clock.js';

export const DATABASE_KINDS = ['sqlite', 'mariadb', 'mariadb without binary log'] as const;
export type DatabaseKind = (typeof DATABASE_KINDS)[number];

/** No database server of the run's own could be had: none is installed, or it may not be started here. */
export class NoServerError extends Error {}

/** One service process, always on the same port, with its own way to the database. */
export class Node {
  private process: ServiceProcess | undefined;
  /** Output of processes that ended without being told to. */
  readonly deaths: string[] = [];

  constructor(
    readonly url: string,
    private readonly env: Record<string, string>,
    /** Between this service and its database server. */
    readonly proxy: TcpProxy | undefined,
    readonly clock: FakeClock | undefined,
  ) {}

  /** Resolves when it listens. */
  async start(): Promise<void> {
    const started = await ServiceProcess.start(this.env);
    this.process = started;
    void started.end.then(({ code, output }) => {
      if (this.process === started) this.deaths.push(`ended by itself with ${code}: ${output.slice(-1_000)}`);
    });
  }

  /** kill -9, or the end that SIGTERM brings. */
  async kill(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
    const { process: running } = this;
    this.process = undefined;
    await running?.kill(signal);
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.process?.signal(signal);
  }

  /** Ends it without waiting, when the run itself is ended. */
  abandon(): void {
    this.process?.signal('SIGKILL');
  }
}

/** Services and their database, all of this run's own: everything here may be killed. */
export class System {
  private readonly folder = mkdtempSync(join(tmpdir(), 'registry-faults-'));
  readonly nodes: Node[] = [];
  database: PrivateServer | undefined;
  private readonly exit = cleanUpAtExit(() => {
    this.nodes.forEach((node) => node.abandon());
    removeFolder(this.folder);
  });

  /** @param steppingClocks whether the services' time can be made to step */
  static async start(kind: DatabaseKind, services: number, steppingClocks: boolean): Promise<System> {
    const system = new System();
    try {
      const databaseUrl = await system.prepareDatabase(kind);
      const count = kind === 'sqlite' ? 1 : services;
      for (let i = 0; i < count; i++) system.nodes.push(await system.createNode(databaseUrl, i, steppingClocks));
      await Promise.all(system.nodes.map((node) => node.start()));
      return system;
    } catch (error) {
      await system.stop();
      throw error;
    }
  }

  get urls(): string[] {
    return this.nodes.map(({ url }) => url);
  }

  async stop(): Promise<void> {
    for (const node of this.nodes) {
      node.signal('SIGCONT');
      await node.kill();
      await node.proxy?.close();
    }
    await this.database?.stop();
    removeFolder(this.folder);
    this.exit.revoke();
  }

  private async prepareDatabase(kind: DatabaseKind): Promise<string> {
    if (kind === 'sqlite') return `sqlite:${join(this.folder, 'registry.sqlite')}`;
    this.database = await startServer({ binaryLog: kind === 'mariadb' });
    const url = new URL(this.database.url);
    await createDatabase(url);
    url.pathname = 'registry';
    const { code, output } = await runCli(['migrate'], { DATABASE_URL: url.href });
    if (code !== 0) throw new Error(`migrate failed: ${output}`);
    return url.href;
  }

  private async createNode(databaseUrl: string, number: number, steppingClocks: boolean): Promise<Node> {
    const proxy = this.database === undefined ? undefined : new TcpProxy(new URL(databaseUrl));
    const clock = steppingClocks ? new FakeClock(join(this.folder, `clock-${number}`)) : undefined;
    const port = await findFreePort();
    const env = {
      DATABASE_URL: (await proxy?.open()) ?? databaseUrl,
      PORT: String(port),
      LOG_LEVEL: 'error',
      TIME_ZONE: zoneAtNoon(),
      ...clock?.env,
    };
    return new Node(`http://127.0.0.1:${port}`, env, proxy, clock);
  }
}

async function startServer(options: PrivateServerOptions): Promise<PrivateServer> {
  try {
    if (findServerBinary() === undefined) await installMariaDb();
    return await startPrivateServer(findServerBinary() ?? 'mariadbd', options);
  } catch (error) {
    throw new NoServerError(`No database server that may be killed: ${(error as Error).message}`, { cause: error });
  }
}

async function createDatabase(url: URL): Promise<void> {
  const connection = await createConnection(url.href);
  await connection.query('CREATE DATABASE registry CHARACTER SET utf8mb4');
  await connection.end();
}
