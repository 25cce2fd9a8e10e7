import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve as resolvePath } from 'node:path';
import { type Reply, type Send, type Sender, sendTo } from './registry.js';

/** Resolved in the package's folder, in which npm and Jest run. */
const built = (name: string): string => {
  const path = resolvePath('dist', name);
  if (!existsSync(path)) throw new Error(`dist/${name} is missing: run "npm run build" first ("npm test" does)`);
  return path;
};

/** The path of the built service. */
export const builtService = (): string => built('main.js');

const environment = (env: Record<string, string>): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: process.env.TEST_COMPILE_CACHE,
  // Ignores a .env of the checkout.
  NODE_ENV: 'test',
  LOG_LEVEL: 'warn',
  PORT: '0',
  SEARCH_INDEX: 'off',
  SNAPSHOT_FOLDER: join(tmpdir(), 'snapshots'),
  ...env,
});

export interface Ended {
  code: number | null;
  output: string;
}

/** Runs the built command line to its end. */
export function runCli(words: string[], env: Record<string, string>): Promise<Ended> {
  return ended(spawn(process.execPath, [built('cli.js'), ...words], { env: environment(env) }));
}

/** The same with a limit of the file size, which acts like a full disk and needs no privileges. SQLite reports another error, as with a quota. */
export function runCliWithFileLimit(limitKib: number, words: string[], env: Record<string, string>): Promise<Ended> {
  // The shell's unit is half a KiB.
  const limited = ['-c', 'ulimit -f "$0" && exec "$@"', String(2 * limitKib), process.execPath, built('cli.js')];
  return ended(spawn('/bin/sh', [...limited, ...words], { env: environment(env) }));
}

/** Runs the built service until it exits. @param program defaults to the built service */
export function runService(
  env: Record<string, string>,
  program = builtService(),
  words: readonly string[] = [],
): Promise<Ended> {
  return ended(spawn(process.execPath, [program, ...words], { env: environment(env) }));
}

/** Resolves with a child's output when it has exited; a character may arrive in two chunks. */
export function ended(child: ChildProcess): Promise<Ended> {
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output })));
}

/** The built service in a child process. */
export class ServiceProcess implements Sender {
  private constructor(
    readonly url: string,
    private readonly child: ChildProcess,
    /** Resolves when the process has exited, for any reason. */
    readonly end: Promise<Ended>,
    /** Its standard output so far. */
    readonly output: () => string,
  ) {}

  /**
   * Resolves when it prints that it listens.
   * @param words arguments of Node: options, and optionally another program that prints the same line
   * @param node another Node than the tests'
   */
  static start(
    env: Record<string, string>,
    words: readonly string[] = [builtService()],
    node = process.execPath,
  ): Promise<ServiceProcess> {
    const child = spawn(node, words, { env: environment(env) });
    const end = ended(child);
    let [output, listens] = ['', false];
    return new Promise((resolve, reject) => {
      child.stdout?.on('data', (text: string) => {
        output += text;
        // Stops searching then, because searching a long log at each line would take longer than the service itself.
        if (listens) return;
        const url = /listening on (http:\S+)/.exec(output)?.[1];
        if (url === undefined) return;
        listens = true;
        resolve(new ServiceProcess(url, child, end, () => output));
      });
      void end.then((result) => reject(new Error(`The service ended with ${result.code}: ${result.output}`)));
    });
  }

  get pid(): number {
    return this.child.pid as number;
  }

  send(path: string, options?: Send): Promise<Reply> {
    return sendTo(this.url, path, options);
  }

  /** Sends a signal without waiting: SIGSTOP freezes it, SIGCONT continues it. */
  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Sends a signal and waits for the exit. */
  async kill(signal: 'SIGKILL' | 'SIGTERM' | 'SIGHUP'): Promise<Ended> {
    this.child.kill(signal);
    return this.end;
  }
}
