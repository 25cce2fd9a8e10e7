import { type ChildProcess, execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { NotFetchedError, NotInstalledError } from '../../scripts/machine/apt-get.js';
import { endProcess, killChild, spawnChild } from '../../scripts/machine/child-process.js';
import { cleanUpAtExit } from '../../scripts/machine/clean-up-at-exit.js';
import { findProgram } from '../../scripts/machine/find-program.js';
import { findFreePort } from '../../scripts/machine/free-port.js';

const run = promisify(execFile);
/** Of what nginx writes beside its cache. */
const TEMPORARY = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

/**
 * The path of the machine's nginx, else of Debian's, which is unpacked in this folder: nothing is installed, and nothing of it is started.
 * @throws NotInstalledError where that cannot be done, NotFetchedError where it fails
 */
export async function findNginx(folder: string): Promise<string> {
  const installed = findProgram('nginx');
  if (installed !== undefined) return installed;
  if (findProgram('apt-get') === undefined || findProgram('dpkg-deb') === undefined)
    throw new NotInstalledError('it can be unpacked on Debian alone.');
  try {
    // Where the system does not know its packages yet.
    await run('apt-get', ['-q', 'download', 'nginx'], { cwd: folder }).catch(async () => {
      await run('apt-get', ['-q', 'update']);
      await run('apt-get', ['-q', 'download', 'nginx'], { cwd: folder });
    });
    const [file] = (await readdir(folder)).filter((name) => name.endsWith('.deb'));
    await run('dpkg-deb', ['-x', file as string, 'root'], { cwd: folder });
    const program = join(folder, 'root/usr/sbin/nginx');
    await run(program, ['-v']);
    return program;
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    throw new NotFetchedError(`it could not be unpacked: ${(stderr || message).trim()}`);
  }
}

/** An nginx of a test's own, with what stands in `http {}`. */
export class Nginx {
  private child: ChildProcess | undefined;
  private readonly exit = cleanUpAtExit(() => this.child && killChild(this.child));

  private constructor(
    private readonly program: string,
    private readonly folder: string,
    private readonly port: number,
  ) {}

  /** @param http its settings, given where it listens and where it may write */
  static async of(program: string, parent: string, http: (listen: string, cache: string) => string): Promise<Nginx> {
    const nginx = new Nginx(program, mkdtempSync(join(parent, 'nginx-')), await findFreePort());
    writeFileSync(nginx.file, nginx.settings(http(`127.0.0.1:${nginx.port}`, nginx.cache)));
    mkdirSync(nginx.cache);
    return nginx;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** What it says of its settings. */
  async check(): Promise<string> {
    return (await run(this.program, ['-t', '-q', ...this.options])).stderr;
  }

  /** @throws Error where its settings are not sound */
  async start(): Promise<void> {
    await this.check();
    this.child = spawnChild(this.program, this.options, this.log);
  }

  /** The keys of what it keeps. */
  async kept(): Promise<string[]> {
    const files = await readdir(this.cache);
    return files.flatMap((file) => /^KEY: (.*)$/m.exec(readFileSync(join(this.cache, file), 'latin1'))?.[1] ?? []);
  }

  /** @returns what it has complained of */
  async stop(): Promise<string> {
    if (this.child === undefined) return '';
    await endProcess(this.child);
    this.exit.revoke();
    return readFileSync(this.log, 'utf8');
  }

  private get cache(): string {
    return join(this.folder, 'cache');
  }

  private get file(): string {
    return join(this.folder, 'nginx.conf');
  }

  private get log(): string {
    return join(this.folder, 'log');
  }

  private get options(): string[] {
    return ['-p', this.folder, '-e', 'stderr', '-c', this.file];
  }

  private settings(http: string): string {
    const temporary = TEMPORARY.map((name) => `${name}_temp_path ${join(this.folder, name)};`);
    // Else its processes are another user's, who may not enter the folder.
    const user = process.getuid?.() === 0 ? 'user root;' : '';
    return `${user} daemon off; pid ${join(this.folder, 'pid')};
      events {}
      http { access_log off; ${temporary.join(' ')}
        ${http}
      }`;
  }
}
