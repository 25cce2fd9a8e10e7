import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cleanUpAtExit } from '../../scripts/machine/clean-up-at-exit.js';
import { findFreePort } from '../../scripts/machine/free-port.js';
import { removeFolder } from '../../scripts/machine/remove-folder.js';
import { runCli, ServiceProcess } from '../support/process.js';
import { zoneAtNoon } from '../support/registry.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { type Database, type DatabaseKind, startDatabase } from './databases.js';
import { FakeClock } from './fake-clock.js';

/** One service process, always on the same port, with separate proxies to its database. */
export class Node {
  private process: ServiceProcess | undefined;
  /** Output of processes that exited unasked. */
  readonly deaths: string[] = [];

  constructor(
    readonly url: string,
    private readonly env: Record<string, string>,
    /** Proxies between this service and each host of its database. */
    readonly proxies: readonly TcpProxy[],
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

  async kill(): Promise<void> {
    const { process: running } = this;
    this.process = undefined;
    await running?.kill('SIGKILL');
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.process?.signal(signal);
  }

  /** Kills it without waiting, when the run itself is aborted. */
  abandon(): void {
    this.process?.signal('SIGKILL');
  }
}

/** Parameters of the system. */
export interface Size {
  /** Processes on one database; SQLite has one. */
  services: number;
  /** Whether the services' clocks can be stepped. */
  steppingClocks: boolean;
}

/** Services and their database, all private to this run, so that everything may be killed. */
export class System {
  readonly nodes: Node[] = [];
  private readonly exit = cleanUpAtExit(() => {
    this.nodes.forEach((node) => node.abandon());
    removeFolder(this.folder);
  });

  private constructor(
    private readonly folder: string,
    readonly database: Database,
  ) {}

  static async start(kind: DatabaseKind, size: Size): Promise<System> {
    const folder = mkdtempSync(join(tmpdir(), 'registry-faults-'));
    const system = new System(folder, await startDatabase(kind, folder));
    try {
      await system.migrate();
      const { services, steppingClocks } = kind === 'sqlite' ? { ...size, services: 1 } : size;
      for (let i = 0; i < services; i++) system.nodes.push(await system.createNode(i, steppingClocks));
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
      for (const proxy of node.proxies) await proxy.close();
    }
    await this.database.stop();
    removeFolder(this.folder);
    this.exit.revoke();
  }

  private async migrate(): Promise<void> {
    const { code, output } = await runCli(['migrate'], { DATABASE_URL: this.database.url });
    if (code !== 0) throw new Error(`migrate failed: ${output}`);
  }

  private async createNode(number: number, steppingClocks: boolean): Promise<Node> {
    const proxies = this.database.hosts.map(({ url }) => new TcpProxy(new URL(url)));
    const clock = steppingClocks ? await FakeClock.create(join(this.folder, `clock-${number}`)) : undefined;
    const port = await findFreePort();
    const env = {
      DATABASE_URL: proxies.length === 0 ? this.database.url : await openAll(proxies),
      PORT: String(port),
      LOG_LEVEL: 'error',
      TIME_ZONE: zoneAtNoon(),
      // The services keep writing with wrong clocks: the feed's guarantee must not depend on the clock monitor.
      ...(clock && { ...clock.env, CLOCK_MAX_STEP: '2h' }),
    };
    return new Node(`http://127.0.0.1:${port}`, env, proxies, clock);
  }
}

/** @returns DATABASE_URL with every proxy as a host */
async function openAll(proxies: readonly TcpProxy[]): Promise<string> {
  const urls: URL[] = [];
  for (const proxy of proxies) urls.push(new URL(await proxy.open()));
  const [first] = urls as [URL, ...URL[]];
  return first.href.replace(first.host, urls.map(({ host }) => host).join(','));
}
