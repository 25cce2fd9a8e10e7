import { type ChildProcess, execFile, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import fs, { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { installPackages, NotInstalledError } from '../../scripts/machine/apt-get.js';
import { killChild, spawnChild, succeed } from '../../scripts/machine/child-process.js';
import { cleanUpAtExit } from '../../scripts/machine/clean-up-at-exit.js';
import { findProgram } from '../../scripts/machine/find-program.js';
import { findFreePort } from '../../scripts/machine/free-port.js';
import { removeFolder } from '../../scripts/machine/remove-folder.js';
import { until } from '../support/until.js';

const run = promisify(execFile);
const PROVIDER = '/usr/lib/galera/libgalera_smm.so';
const PACKAGES = ['mariadb-server-core', 'mariadb-client-core', 'galera-4', 'rsync', 'lsof', 'procps'];
const TOOLS = ['mariadbd', 'mariadb-install-db', 'my_print_defaults', 'rsync', 'lsof', 'ps'];
const SNAPSHOT_SCRIPTS = './usr/bin/wsrep_sst_common ./usr/bin/wsrep_sst_rsync';
const RECOVERED = /WSREP: Recovered position:\s*([0-9a-f-]+:-?\d+)/i;
const NODES = 3;
const ANSWER_MS = 1_000;

/** The timeouts of docs/mysql/galera.cnf: a dead node is evicted after about two seconds. */
const FAILURE_DETECTION = [
  'evs.suspect_timeout=PT1S;evs.inactive_timeout=PT3S;evs.keepalive_period=PT0.2S;evs.inactive_check_period=PT0.1S',
  'evs.install_timeout=PT1S;evs.join_retrans_period=PT0.3S;gmcast.peer_timeout=PT1S',
];

interface Programs {
  server: string;
  /** The folder of the scripts that transfer a snapshot (SST) from one node to another. */
  scripts: string;
  /** The user as whom nodes run if this process is root: as root, rsync would change the owner of files, and the transfer would fail. */
  user: { uid: number; gid: number } | undefined;
}

/** One node: a server process that can be killed, frozen and restarted. */
export class GaleraNode {
  readonly logFile: string;
  private child: ChildProcess | undefined;

  constructor(
    private readonly programs: Programs,
    readonly folder: string,
    /** mysql://user:password@host:port/database of this node. */
    readonly url: string,
  ) {
    this.logFile = join(folder, 'server.log');
  }

  layOut(options: string): void {
    const data = join(this.folder, 'data');
    fs.mkdirSync(data, { recursive: true, mode: 0o755 });
    writeFileSync(join(this.folder, 'my.cnf'), options);
    const { user } = this.programs;
    if (user !== undefined) for (const path of [this.folder, data]) fs.chownSync(path, user.uid, user.gid);
  }

  /** Joins the other nodes, or bootstraps the cluster; resolves when synced. */
  async start(...options: string[]): Promise<void> {
    const { server, scripts } = this.programs;
    const defaults = `--defaults-file=${this.folder}/my.cnf`;
    const position = await this.position(defaults);
    const words = [`PATH=${scripts}:${process.env.PATH}`, server, defaults, ...position, ...options];
    this.child = spawnChild('env', words, this.logFile, true);
    // A failed run must not wait for the server, which is killed at exit.
    this.child.unref();
    await until(async () => {
      if (!this.isRunning) throw new Error(`A node has ended: ${readFileSync(this.logFile, 'utf8').slice(-3_000)}`);
      return (await this.view()) !== undefined;
    });
  }

  async kill(): Promise<void> {
    const { child } = this;
    if (child === undefined || !this.isRunning) return;
    const ended = once(child, 'exit');
    child.ref();
    killChild(child);
    await ended;
    killProcessesOf(this.folder);
  }

  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    this.child?.kill(name);
  }

  get isRunning(): boolean {
    return this.child?.pid !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Number and size of the group in the node's view; undefined if it refuses reads and writes. */
  async view(): Promise<string | undefined> {
    const connection = await createConnection({ uri: this.url, connectTimeout: ANSWER_MS }).catch(() => undefined);
    const asked = connection?.query<RowDataPacket[]>({ sql: "SHOW STATUS LIKE 'wsrep_%'", timeout: ANSWER_MS });
    const [rows] = (await asked?.catch(() => undefined)) ?? [[]];
    connection?.destroy();
    const status = new Map(rows.map((row) => [row['Variable_name'] as string, String(row['Value'])]));
    const isSynced = status.get('wsrep_local_state_comment') === 'Synced' && status.get('wsrep_ready') === 'ON';
    return isSynced ? `${status.get('wsrep_cluster_conf_id')} ${status.get('wsrep_cluster_size')}` : undefined;
  }

  /**
   * The position of the last transaction. After a crash only the tables contain it: with it, Galera transfers the missing writes (IST), not
   * everything.
   */
  private async position(defaults: string): Promise<string[]> {
    if (!existsSync(`${this.folder}/data/grastate.dat`)) return [];
    const words = [defaults, '--wsrep-recover', '--disable-log-error', '--skip-networking'];
    const { stderr } = await run(this.programs.server, words, { maxBuffer: Infinity });
    const [, position] = RECOVERED.exec(stderr) ?? [];
    return position === undefined ? [] : [`--wsrep-start-position=${position}`];
  }
}

/** Three nodes of MariaDB's Galera cluster on loopback. */
export class GaleraCluster {
  private constructor(
    readonly nodes: readonly GaleraNode[],
    /** DATABASE_URL with every node. */
    readonly url: string,
    private readonly end: () => void,
  ) {}

  /** @throws NotInstalledError if its programs are missing and cannot be installed */
  static async start(): Promise<GaleraCluster> {
    const folder = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'registry-galera-')));
    const exit = cleanUpAtExit(() => end());
    const end = (): void => {
      killProcessesOf(folder);
      removeFolder(folder);
      exit.revoke();
    };
    try {
      fs.chmodSync(folder, 0o755);
      const programs = await takePrograms(folder);
      const free = new Set<number>();
      while (free.size < NODES * 4) free.add(await findFreePort());
      const ports = [...free];
      const password = randomBytes(12).toString('hex');
      const urlOf = (hosts: string[]): string => `mysql://registry:${password}@${hosts.join(',')}/registry`;
      const hosts = ports.slice(0, NODES).map((port) => `127.0.0.1:${port}`);
      const nodes = hosts.map((host, i) => new GaleraNode(programs, join(folder, `node${i}`), urlOf([host])));
      for (const [i, node] of nodes.entries()) node.layOut(optionsOf(i, node.folder, ports, programs));
      const [first, ...others] = nodes as [GaleraNode, ...GaleraNode[]];
      await install(first, programs, password);
      await first.start('--wsrep-new-cluster');
      // Two nodes that join simultaneously delay each other by ten seconds.
      for (const node of others) await node.start();
      return new GaleraCluster(nodes, urlOf(hosts), end);
    } catch (error) {
      end();
      throw error;
    }
  }

  /** Waits until all nodes are synced in one cluster. Restarts a node that has exited by itself, as a supervisor does. */
  async untilSynced(): Promise<void> {
    await until(async () => {
      for (const node of this.nodes) if (!node.isRunning) await node.start();
      const views = new Set(await Promise.all(this.nodes.map((node) => node.view())));
      return views.size === 1 && [...views][0]?.endsWith(` ${NODES}`) === true;
    });
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.kill()));
    this.end();
  }
}

async function takePrograms(folder: string): Promise<Programs> {
  const isThere = (): boolean => existsSync(PROVIDER) && TOOLS.every((name) => findProgram(name) !== undefined);
  if (!isThere()) await installPackages('Not all programs of a Galera cluster found', PACKAGES);
  if (!isThere()) throw new NotInstalledError(`a Galera cluster needs ${PROVIDER} and ${TOOLS.join(', ')}.`);
  const script = findProgram('wsrep_sst_rsync');
  const idOf = (option: string): number => Number(execFileSync('id', [option, 'nobody'], { encoding: 'utf8' }));
  return {
    server: findProgram('mariadbd') as string,
    scripts: script === undefined ? await unpackScripts(folder) : dirname(script),
    user: process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : undefined,
  };
}

/** Extracts the scripts from mariadb-server, because installing it would add a system service, its user and its data folder. */
async function unpackScripts(cwd: string): Promise<string> {
  const unpack = `apt-get -q download mariadb-server && dpkg-deb --fsys-tarfile *.deb | tar -x ${SNAPSHOT_SCRIPTS}`;
  await run('sh', ['-c', unpack], { cwd }).catch((error: Error) => {
    throw new NotInstalledError(`wsrep_sst_rsync of mariadb-server is missing: ${error.message}`);
  });
  return join(cwd, 'usr', 'bin');
}

function optionsOf(index: number, folder: string, ports: readonly number[], { user }: Programs): string {
  // Each node's ports: SQL, group communication, IST, SST.
  const [sql, group, missed, snapshot] = [0, 1, 2, 3].map((kind) => ports[kind * NODES + index]);
  const all = ports.slice(NODES, 2 * NODES).map((port) => `127.0.0.1:${port}`);
  const provider = [...FAILURE_DETECTION, 'base_host=127.0.0.1', `base_port=${group}`, 'gcache.size=128M'];
  provider.push(`gmcast.listen_addr=tcp://127.0.0.1:${group}`, `ist.recv_addr=127.0.0.1:${missed}`);
  return `[mariadbd]
${user === undefined ? '' : 'user=nobody'}
datadir=${folder}/data
tmpdir=${folder}
socket=${folder}/server.sock
bind_address=127.0.0.1
port=${sql}
skip_name_resolve
innodb_flush_log_at_trx_commit=1
server_id=${index + 1}
log_bin=binlog
sync_binlog=1
log_slave_updates
binlog_format=ROW
innodb_autoinc_lock_mode=2
wsrep_on=ON
wsrep_provider=${PROVIDER}
wsrep_cluster_name=${basename(dirname(folder))}
wsrep_cluster_address=gcomm://${all.join(',')}
wsrep_node_address=127.0.0.1
wsrep_sst_method=rsync
wsrep_sst_receive_address=127.0.0.1:${snapshot}
wsrep_provider_options="${provider.join(';')}"
`;
}

/** Initialises the first node's data folder; the other nodes copy it when they join. */
async function install({ folder, logFile }: GaleraNode, { user }: Programs, password: string): Promise<void> {
  const file = join(folder, 'setup.sql');
  const setup = `FLUSH PRIVILEGES;
    CREATE DATABASE registry CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
    CREATE USER 'registry'@'127.0.0.1' IDENTIFIED BY '${password}';
    GRANT ALL PRIVILEGES ON *.* TO 'registry'@'127.0.0.1' WITH GRANT OPTION;\n`;
  writeFileSync(file, setup.replace(/^ +/gm, ''));
  const paths = [`--datadir=${join(folder, 'data')}`, `--tmpdir=${folder}`, `--extra-file=${file}`];
  const owner = user === undefined ? [] : ['--user=nobody'];
  const options = ['--no-defaults', ...paths, '--auth-root-authentication-method=normal', '--skip-test-db', ...owner];
  await succeed(spawnChild('mariadb-install-db', options, logFile, true));
}

/** Kills the servers and snapshot transfers that name the folder: a transfer outlives its server for a while. */
function killProcessesOf(folder: string): void {
  for (const pid of fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      if (command.includes(`${folder}/`)) process.kill(Number(pid), 'SIGKILL');
    } catch {
      // The process has exited meanwhile.
    }
  }
}
