import { execFileSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { accessSync, constants, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { cleanUpAtExit } from './clean-up-at-exit.ts';
import { endProcess, killChild, spawnChild, succeed } from './child-process.ts';
import type { DatabaseServer } from './database-server.ts';
import { findFreePort } from './free-port.ts';
import { removeFolder } from './remove-folder.ts';
import { waitUntilServerAnswers } from './server-answer.ts';

const NAMES = ['mariadbd', 'mysqld'];
const FURTHER_FOLDERS = ['/usr/sbin', '/usr/local/sbin', '/usr/libexec'];
const START_MS = 60_000;
const LOG_LINES_SHOWN = 15;

/** The path of an installed server, also outside of the PATH of an ordinary user. */
export function findServerBinary(): string | undefined {
  return findProgram(...NAMES);
}

/** The path of the first of these programs that is installed, also outside of the PATH of an ordinary user. */
export function findProgram(...names: string[]): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...FURTHER_FOLDERS].filter((folder) => folder !== '');
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Starts a server of our own with its data, socket, log and port; nothing of the machine's own server is read or touched. */
export async function startPrivateServer(binary: string): Promise<DatabaseServer> {
  const folder = mkdtempSync(join(tmpdir(), 'registry-test-server-'));
  const children: ChildProcess[] = [];
  const exit = cleanUpAtExit(() => {
    children.forEach(killChild);
    removeFolder(folder);
  });
  const stop = async (): Promise<void> => {
    for (const child of children) await endProcess(child);
    removeFolder(folder);
    exit.revoke();
  };
  try {
    const installer = spawnInstaller(binary, folder);
    children.push(installer);
    await succeed(installer);
    const [port, password] = [await findFreePort(), randomBytes(12).toString('hex')];
    const server = spawnServer(binary, folder, port, password);
    children.push(server);
    const url = `mysql://registry:${password}@127.0.0.1:${port}`;
    await waitUntilUp(server, url);
    return { url, origin: `${binary}, started privately on port ${port}`, stop };
  } catch (error) {
    const reason = `${binary} could not be started privately: ${(error as Error).message}\n${endOfLog(folder)}`;
    await stop();
    throw new Error(reason);
  }
}

function spawnInstaller(binary: string, folder: string): ChildProcess {
  const options = ['--no-defaults', `--datadir=${dataFolder(folder)}`, ...userOption()];
  const isMariaDb = execFileSync(binary, ['--no-defaults', '--version'], { encoding: 'utf8' }).includes('MariaDB');
  if (!isMariaDb) return spawnChild(binary, [...options, '--initialize-insecure'], logFile(folder));
  options.push('--auth-root-authentication-method=normal', '--skip-test-db');
  return spawnChild('mariadb-install-db', options, logFile(folder), true);
}

function spawnServer(binary: string, folder: string, port: number, password: string): ChildProcess {
  const initFile = join(folder, 'init.sql');
  const user = `'registry'@'127.0.0.1'`;
  writeFileSync(
    initFile,
    `CREATE USER ${user} IDENTIFIED BY '${password}';\nGRANT ALL PRIVILEGES ON *.* TO ${user} WITH GRANT OPTION;\n`,
  );
  const server = spawnChild(binary, [...serverOptions(folder, port), `--init-file=${initFile}`], logFile(folder));
  // A failed run must not wait for the server, which is ended at exit.
  server.unref();
  return server;
}

function serverOptions(folder: string, port: number): string[] {
  return [
    '--no-defaults',
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
    '--innodb-buffer-pool-size=64M',
    '--performance-schema=OFF',
    '--loose-mysqlx=OFF',
    // Visible must mean durable, as in production: see the ledger.
    '--innodb-flush-log-at-trx-commit=1',
    '--server-id=1',
    '--log-bin=binlog',
    '--sync-binlog=1',
  ];
}

/** The server refuses to run as root unless told so by name. */
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
