import { type ChildProcess, execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createConnection } from 'mysql2/promise';
import type { RowDataPacket } from 'mysql2/promise';
import { killChild, spawnChild } from '../machine/child-process.ts';
import type { GaleraPrograms } from './programs.ts';

/** A machine that has others to run may need some minutes for what takes seconds. */
const SYNC_MS = 10 * 60_000;
const POLL_MS = 50;
const ANSWER_MS = 1_000;
const LOG_LINES_SHOWN = 25;
const TOLD = [
  'wsrep_cluster_status',
  'wsrep_cluster_size',
  'wsrep_cluster_conf_id',
  'wsrep_local_state_comment',
  'wsrep_ready',
];
const RECOVERED = /WSREP: Recovered position:\s*([0-9a-f-]+:-?\d+)/i;
const PROGRAMS = /mariadbd|mariadb-install-db|wsrep_sst_|rsync/;

/** What a node is told at its birth; its folder has a my.cnf and is owned by the user of the nodes. */
interface GaleraNodePlan {
  name: string;
  folder: string;
  port: number;
  /** mysql://user:password@host:port/database of this node alone. */
  url: string;
  programs: GaleraPrograms;
}

/** One node of a cluster: a server process that may be killed, frozen and started again. */
export class GaleraNode {
  readonly name: string;
  readonly folder: string;
  readonly port: number;
  readonly url: string;
  private readonly programs: GaleraPrograms;
  private child: ChildProcess | undefined;

  constructor({ name, folder, port, url, programs }: GaleraNodePlan) {
    [this.name, this.folder, this.port, this.url, this.programs] = [name, folder, port, url, programs];
  }

  /** The process id; undefined while the node is down. */
  get pid(): number | undefined {
    return this.isRunning() ? this.child?.pid : undefined;
  }

  get dataFolder(): string {
    return join(this.folder, 'data');
  }

  get optionsFile(): string {
    return join(this.folder, 'my.cnf');
  }

  get logFile(): string {
    return join(this.folder, 'server.log');
  }

  /** The words to start this node by hand. */
  get command(): string {
    return `PATH=${this.programs.scripts}:$PATH ${this.programs.server} --defaults-file=${this.optionsFile}`;
  }

  /** Starts the node, which joins the others or begins a new cluster; resolves when it is synced. */
  async start({ newCluster = false } = {}): Promise<void> {
    if (this.isRunning()) throw new Error(`${this.name} is running.`);
    const options = [
      `--defaults-file=${this.optionsFile}`,
      ...(await this.startPosition()),
      ...(newCluster ? ['--wsrep-new-cluster'] : []),
    ];
    // `env` becomes the server, so the process id is the server's. It heads a group, so that Ctrl-C does not reach it.
    const path = [this.programs.scripts, process.env.PATH].join(delimiter);
    const words = [`PATH=${path}`, this.programs.server, ...options];
    this.child = spawnChild('env', words, this.logFile, true);
    // A failed run must not wait for the server, which is ended at exit.
    this.child.unref();
    await this.untilSynced();
  }

  /** SIGKILL, as a machine that loses its power; resolves when the process is gone. */
  async kill(): Promise<void> {
    const { child } = this;
    if (child === undefined || !this.isRunning()) return;
    const ended = once(child, 'exit');
    child.ref();
    killChild(child);
    await ended;
    killProcessesOf(this.folder);
  }

  /** SIGSTOP: the node says nothing more, but its connections stay open. */
  freeze(): void {
    this.signal('SIGSTOP');
  }

  /** SIGCONT: the others have left it out after a second or two, so it has to catch up. */
  thaw(): void {
    this.signal('SIGCONT');
  }

  /** Whether the node takes reads and writes: it answers, belongs to the majority and has caught up. */
  async isSynced(): Promise<boolean> {
    return (await this.syncedView()) !== undefined;
  }

  /** The number and the size of the group that a synced node believes to be in; undefined when it is not synced. */
  async syncedView(): Promise<{ number: number; size: number } | undefined> {
    try {
      const status = await this.status();
      if (status.get('wsrep_local_state_comment') !== 'Synced' || status.get('wsrep_ready') !== 'ON') return undefined;
      return { number: Number(status.get('wsrep_cluster_conf_id')), size: Number(status.get('wsrep_cluster_size')) };
    } catch {
      return undefined;
    }
  }

  /** Everything Galera says about itself: `wsrep_…` and its value. */
  async status(): Promise<Map<string, string>> {
    const connection = await createConnection({ uri: this.url, connectTimeout: ANSWER_MS, database: '' });
    try {
      const [rows] = await connection.query<RowDataPacket[]>({ sql: `SHOW STATUS LIKE 'wsrep_%'`, timeout: ANSWER_MS });
      return new Map(rows.map((row) => [String(row['Variable_name']), String(row['Value'])]));
    } finally {
      connection.destroy();
    }
  }

  /** What it says of its place in the cluster, and the end of its log. */
  async report(): Promise<string> {
    const status = await this.status().catch((error: Error) => error.message);
    const said = typeof status === 'string' ? status : TOLD.map((name) => `${name} ${status.get(name)}`).join(', ');
    return `${this.name} (process ${this.pid ?? 'ended'}): ${said}\n${this.endOfLog()}`;
  }

  /** Waits until the node is synced; throws with the end of its log when it ended or the time is up. */
  private async untilSynced(): Promise<void> {
    const deadline = performance.now() + SYNC_MS;
    while (!(await this.isSynced())) {
      const isLate = performance.now() > deadline;
      if (isLate || !this.isRunning()) {
        throw new Error(`${isLate ? 'It is still not synced' : 'It has ended'}: ${await this.report()}`);
      }
      await delay(POLL_MS);
    }
  }

  /** Ends the process without waiting; for the clean-up. */
  killNow(): void {
    if (this.child !== undefined) killChild(this.child);
  }

  private isRunning(): boolean {
    return this.child?.pid !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  private signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    if (this.pid === undefined) throw new Error(`${this.name} is not running.`);
    process.kill(this.pid, name);
  }

  /** After a crash only the tables know the position: told it, Galera sends what was missed and not a copy of everything. */
  private async startPosition(): Promise<string[]> {
    if (!existsSync(join(this.dataFolder, 'grastate.dat'))) return [];
    const words = [
      `--defaults-file=${this.optionsFile}`,
      '--wsrep-recover',
      '--disable-log-error',
      '--skip-networking',
    ];
    const { stderr } = await promisify(execFile)(this.programs.server, words, { maxBuffer: Infinity });
    const [, position] = RECOVERED.exec(stderr) ?? [];
    return position === undefined ? [] : [`--wsrep-start-position=${position}`];
  }

  private endOfLog(): string {
    if (!existsSync(this.logFile)) return '';
    return readFileSync(this.logFile, 'utf8').trimEnd().split('\n').slice(-LOG_LINES_SHOWN).join('\n');
  }
}

/** Kills the servers and the copying of snapshots that name the folder: a copy outlives its server for a while, in a group of its own. */
export function killProcessesOf(folder: string): void {
  if (!existsSync('/proc')) return;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      if (command.includes(`${folder}/`) && PROGRAMS.test(command)) process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It ended meanwhile.
    }
  }
}
