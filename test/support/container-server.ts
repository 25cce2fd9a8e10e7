import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { promisify } from 'node:util';
import { killChild } from '../../scripts/machine/child-process.ts';
import { findFreePort } from '../../scripts/machine/free-port.ts';
import type { DatabaseServer } from './database-server.ts';
import { waitUntilServerAnswers } from './server-answer.ts';

const DOCKER = 'docker';
const IMAGE = 'mysql:8.4';
const PORT = 3306;
const LOOPBACK = '127.0.0.1';
/** Without Docker this fails at once; a frozen daemon never answers. The limit allows for a machine that stalls. */
const PROBE_MS = 30_000;
/** Includes downloading the image. */
const START_MS = 600_000;
const STOP_MS = 10_000;
const LETTERS_SHOWN = 2_000;

const run = promisify(execFile);

const SETTINGS = [
  '--max-connections=500',
  '--character-set-server=utf8mb4',
  '--collation-server=utf8mb4_bin',
  '--skip-name-resolve',
  '--innodb-flush-log-at-trx-commit=1',
  '--sync-binlog=1',
];

/** The container's command: it exits with the server, or when its standard input closes, which happens when our process ends for any reason. */
const UNTIL_INPUT_CLOSES =
  'exec 3<&0; docker-entrypoint.sh mysqld "$@" & server=$!; { read -r _ <&3; kill -9 $server; } & wait $server';

/** Starts a MySQL in a container. @returns undefined if Docker does not answer or cannot start it */
export async function startContainer(): Promise<DatabaseServer | undefined> {
  if (!(await answers())) return undefined;
  try {
    return await startMySql();
  } catch (error) {
    process.stderr.write(`Docker answers but starts no ${IMAGE}, so a local server is taken: ${String(error)}\n`);
    return undefined;
  }
}

/** Checks the daemon too, not only the program, by asking for the server's version. */
async function answers(): Promise<boolean> {
  const question = ['version', '--format', '{{.Server.Version}}'];
  try {
    await run(DOCKER, question, { timeout: PROBE_MS, killSignal: 'SIGKILL' });
    return true;
  } catch {
    return false;
  }
}

async function startMySql(): Promise<DatabaseServer> {
  const host = await hostOf();
  const port = await findFreePort();
  const password = randomBytes(12).toString('hex');
  const url = `mysql://root:${password}@${host}:${port}`;
  // A port published for another machine, which we are then, must listen on all addresses.
  const container = new Container(host === LOOPBACK ? `${LOOPBACK}:${port}` : String(port), password);
  try {
    await waitUntilServerAnswers(url, START_MS, container.over);
  } catch (error) {
    await container.stop();
    throw new Error(`${(error as Error).message}\n${container.output}`);
  }
  return { url, origin: `container of ${IMAGE}, ${host}:${port}`, stop: () => container.stop() };
}

/**
 * The host on which Docker publishes ports: another machine in some CI jobs, otherwise this one. A socket inside a container is that of its host,
 * whose loopback interface is a different one.
 */
async function hostOf(): Promise<string> {
  const { stdout } = await run(DOCKER, ['context', 'inspect', '--format', '{{.Endpoints.docker.Host}}']);
  const { hostname } = new URL(stdout.trim());
  if (hostname === '' && existsSync('/.dockerenv'))
    throw new Error('its socket is that of the machine around this container');
  return hostname || LOOPBACK;
}

class Container {
  /** The end of the output of Docker and the server. */
  output = '';
  readonly over: AbortSignal;
  private readonly child: ChildProcessByStdio<Writable, null, Readable>;
  private readonly closed: Promise<unknown>;

  constructor(published: string, password: string) {
    const options = ['--rm', '--interactive', '--publish', `${published}:${PORT}`, '--env', 'MYSQL_ROOT_PASSWORD'];
    const command = ['--entrypoint', 'sh', IMAGE, '-c', UNTIL_INPUT_CLOSES, 'sh', ...SETTINGS];
    const env = { ...process.env, MYSQL_ROOT_PASSWORD: password };
    this.child = spawn(DOCKER, ['run', ...options, ...command], { env, stdio: ['pipe', 'ignore', 'pipe'] });
    this.closed = once(this.child, 'close');
    // Not an unhandled rejection: waiting for the server reports that it has exited.
    this.closed.catch(() => undefined);
    const over = new AbortController();
    this.over = over.signal;
    this.child.once('exit', () => over.abort());
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.output = (this.output + text).slice(-LETTERS_SHOWN);
    });
    // A failed run must not wait for the server, which exits with it.
    this.child.unref();
    (this.child.stderr as Socket).unref();
  }

  async stop(): Promise<void> {
    this.child.ref();
    (this.child.stderr as Socket).ref();
    this.child.stdin.end();
    const timer = setTimeout(killChild, STOP_MS, this.child);
    await this.closed;
    clearTimeout(timer);
  }
}
