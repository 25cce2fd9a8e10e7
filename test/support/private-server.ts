import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endProcess, killChild, spawnChild, succeed } from '../../scripts/machine/child-process.ts';
import { cleanUpAtExit } from '../../scripts/machine/clean-up-at-exit.ts';
import { findFreePort } from '../../scripts/machine/free-port.ts';
import { removeFolder } from '../../scripts/machine/remove-folder.ts';
import { isMariaDb } from '../../scripts/machine/server-program.ts';
import type { DatabaseServer } from './database-server.ts';
import { waitUntilServerAnswers } from './server-answer.ts';

/** Slightly less than a test's limit. If the server exits, waiting stops. */
const START_MS = 170_000;
const LOG_LINES_SHOWN = 15;

/** Differences from the server that the tests use. */
export interface PrivateServerOptions {
  /** On by default. Without it a commit is visible before it is durable. */
  binaryLog?: boolean;
  /** All tables in two files that cannot grow beyond 20 MB. */
  cannotGrow?: boolean;
  /** A file of settings, including those of durability. */
  settings?: string;
  /** Certificate files for TLS, instead of the server's own. */
  tls?: { certificate: string; key: string; authority: string };
  /** Buffer pool for measurements instead of tests, with a redo log large enough to avoid constant flushing. In bytes. */
  bufferPool?: number;
}

/** A private server with separate data, socket, log and port; it does not touch the machine's own server. */
export class PrivateServer implements DatabaseServer {
  private readonly folder = mkdtempSync(join(tmpdir(), 'registry-test-server-'));
  private readonly children = new Set<ChildProcess>();
  private readonly password = randomBytes(12).toString('hex');
  private readonly exit = cleanUpAtExit(() => {
    this.children.forEach(killChild);
    removeFolder(this.folder);
  });
  private server: ChildProcess | undefined;

  private constructor(
    private readonly binary: string,
    private readonly port: number,
    private readonly options: PrivateServerOptions,
  ) {}

  static async start(binary: string, options: PrivateServerOptions = {}): Promise<PrivateServer> {
    const server = new PrivateServer(binary, await findFreePort(), options);
    try {
      await server.install();
      return server;
    } catch (error) {
      const reason = `${binary} could not be started privately: ${(error as Error).message}\n${endOfLog(server.folder)}`;
      await server.stop();
      throw new Error(reason);
    }
  }

  get url(): string {
    return `mysql://registry:${this.password}@127.0.0.1:${this.port}`;
  }

  get origin(): string {
    return `${this.binary}, started privately on port ${this.port}`;
  }

  /** Its process id, to read /proc. */
  get pid(): number {
    return this.server?.pid as number;
  }

  async stop(): Promise<void> {
    // A frozen server would not receive SIGTERM.
    this.signal('SIGCONT');
    for (const child of this.children) await endProcess(child);
    removeFolder(this.folder);
    this.exit.revoke();
  }

  /** SIGSTOP freezes the server, SIGCONT continues it. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.server?.kill(signal);
  }

  /** Kills it with SIGKILL, and waits for the exit. */
  async kill(): Promise<void> {
    const { server } = this;
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const gone = once(server, 'exit');
    server.kill('SIGKILL');
    await gone;
  }

  /** Kills it, and restarts it with the same data on the same port; resolves when it answers. */
  async restart(): Promise<void> {
    await this.kill();
    await this.launch([]);
  }

  private async install(): Promise<void> {
    await succeed(this.keep(spawnInstaller(this.binary, this.folder)));
    await this.launch([`--init-file=${this.writeInitFile()}`]);
  }

  private async launch(further: string[]): Promise<void> {
    const options = [...serverOptions(this.folder, this.port, this.options), ...further];
    const server = this.keep(spawnChild(this.binary, options, logFile(this.folder)));
    // A failed run must not wait for the server, which is killed at exit.
    server.unref();
    this.server = server;
    await waitUntilUp(server, this.url);
  }

  private keep(child: ChildProcess): ChildProcess {
    this.children.add(child);
    child.once('exit', () => this.children.delete(child));
    return child;
  }

  private writeInitFile(): string {
    const path = join(this.folder, 'init.sql');
    const user = `'registry'@'127.0.0.1'`;
    writeFileSync(
      path,
      `CREATE USER ${user} IDENTIFIED BY '${this.password}';\nGRANT ALL PRIVILEGES ON *.* TO ${user} WITH GRANT OPTION;\n`,
    );
    return path;
  }
}

function spawnInstaller(binary: string, folder: string): ChildProcess {
  // A separate temporary folder: MariaDB begins by removing files that concurrent installers have there.
  const options = ['--no-defaults', `--datadir=${dataFolder(folder)}`, `--tmpdir=${folder}`, ...userOption()];
  if (!isMariaDb(binary)) return spawnChild(binary, [...options, '--initialize-insecure'], logFile(folder));
  options.push('--auth-root-authentication-method=normal', '--skip-test-db');
  return spawnChild('mariadb-install-db', options, logFile(folder), true);
}

function serverOptions(
  folder: string,
  port: number,
  { binaryLog = true, cannotGrow = false, bufferPool, settings, tls }: PrivateServerOptions,
): string[] {
  return [
    // It must be the first option, or the server refuses it.
    settings === undefined ? '--no-defaults' : `--defaults-file=${settings}`,
    ...userOption(),
    `--datadir=${dataFolder(folder)}`,
    `--tmpdir=${folder}`,
    `--socket=${join(folder, 'server.sock')}`,
    `--pid-file=${join(folder, 'server.pid')}`,
    '--bind-address=127.0.0.1',
    `--port=${port}`,
    '--skip-name-resolve',
    '--max-connections=500',
    '--character-set-server=utf8mb4',
    '--collation-server=utf8mb4_bin',
    `--innodb-buffer-pool-size=${bufferPool ?? '64M'}`,
    '--performance-schema=OFF',
    '--loose-mysqlx=OFF',
    '--server-id=1',
    ...(settings === undefined ? durability(binaryLog) : []),
    ...(tls === undefined
      ? []
      : [`--ssl-cert=${tls.certificate}`, `--ssl-key=${tls.key}`, `--ssl-ca=${tls.authority}`]),
    ...(bufferPool === undefined ? [] : ['--innodb-log-file-size=1G']),
    ...(cannotGrow ? ['--innodb-data-file-path=ibdata1:12M;ibdata2:8M', '--innodb-file-per-table=0'] : []),
  ];
}

/** Commits must be durable before they are visible, as in production: see the ledger. */
function durability(binaryLog: boolean): string[] {
  const log = binaryLog ? ['--log-bin=binlog', '--sync-binlog=1'] : ['--skip-log-bin'];
  return ['--innodb-flush-log-at-trx-commit=1', ...log];
}

/** The server refuses to run as root unless `--user=root` is given. */
function userOption(): string[] {
  return process.getuid?.() === 0 ? ['--user=root'] : [];
}

function dataFolder(folder: string): string {
  return join(folder, 'data');
}

function logFile(folder: string): string {
  return join(folder, 'server.log');
}

async function waitUntilUp(server: ChildProcess, url: string): Promise<void> {
  const dead = new AbortController();
  server.once('exit', () => dead.abort());
  server.once('error', () => dead.abort());
  await waitUntilServerAnswers(url, START_MS, dead.signal);
}

function endOfLog(folder: string): string {
  if (!existsSync(logFile(folder))) return '';
  return readFileSync(logFile(folder), 'utf8').trimEnd().split('\n').slice(-LOG_LINES_SHOWN).join('\n');
}
