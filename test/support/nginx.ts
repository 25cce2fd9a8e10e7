import { type ChildProcess, execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { endProcess, killChild, spawnChild } from '../../scripts/machine/child-process.js';
import { cleanUpAtExit } from '../../scripts/machine/clean-up-at-exit.js';
import { findProgram } from '../../scripts/machine/find-program.js';
import { findFreePort } from '../../scripts/machine/free-port.js';
import { removeFolder } from '../../scripts/machine/remove-folder.js';
import { megabytesOf } from './memory-use.js';
import { until } from './until.js';

const run = promisify(execFile);
const FILE = 'docs/nginx/nginx.conf';
const CERTIFICATES = 'test/support/certificates';
const TEMPORARY = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

/** Texts of docs/nginx/nginx.conf, with their replacements. */
type Changes = Readonly<Record<string, string>>;

/** An nginx with docs/nginx/nginx.conf, except for addresses, folders and a test's replacements. */
export class Nginx {
  private readonly child: ChildProcess;
  private readonly exit: { revoke: () => void };

  private constructor(
    program: string,
    private readonly folder: string,
    private readonly ports: { plain: number; tls: number; redirecting: number },
  ) {
    this.child = spawnChild(program, optionsIn(folder), join(folder, 'output.log'));
    this.exit = cleanUpAtExit(() => {
      killChild(this.child);
      removeFolder(folder);
    });
  }

  /**
   * Starts nginx in front of a service.
   * @param service its URL
   * @throws Error if nginx is missing and cannot be unpacked, or if the configuration is invalid
   */
  static async before(service: string, changes: Changes = {}): Promise<Nginx> {
    const folder = mkdtempSync(join(tmpdir(), 'registry-nginx-'));
    const program = await findNginx(folder);
    const ports = { plain: await findFreePort(), tls: await findFreePort(), redirecting: await findFreePort() };
    const { plain, tls, redirecting } = ports;
    const text = changed(readFileSync(FILE, 'utf8'), {
      // The workers inherit this process's limit.
      'worker_rlimit_nofile 40000;': '',
      '/var/log/nginx': folder,
      '/etc/nginx/tls/fullchain.pem': resolve(CERTIFICATES, 'both-names.pem'),
      '/etc/nginx/tls/privkey.pem': resolve(CERTIFICATES, 'server-key.pem'),
      'http {': `http {${TEMPORARY.map((name) => `${name}_temp_path ${join(folder, name)};`).join(' ')}`,
      'listen 80;': `listen 127.0.0.1:${redirecting};`,
      'listen [::]:80;': '',
      'listen 443 ssl;': `listen 127.0.0.1:${tls} ssl; listen 127.0.0.1:${plain};`,
      'listen [::]:443 ssl;': '',
      '$server_port = 80': `$server_port = ${redirecting}`,
      'server 127.0.0.1:8080;': `server ${new URL(service).host};`,
      ...changes,
    });
    writeFileSync(join(folder, 'nginx.conf'), text);
    await run(program, ['-t', '-q', ...optionsIn(folder)]);
    const nginx = new Nginx(program, folder, ports);
    await until(() => fetch(`${nginx.url}/error`).then(({ status }) => status === 404, () => false)); // prettier-ignore
    return nginx;
  }

  /** URL of plain HTTP, answered as port 443 answers TLS. */
  get url(): string {
    return `http://127.0.0.1:${this.ports.plain}`;
  }

  get tlsUrl(): string {
    return `https://127.0.0.1:${this.ports.tls}`;
  }

  /** URL of port 80 in the file. */
  get redirectingUrl(): string {
    return `http://127.0.0.1:${this.ports.redirecting}`;
  }

  /** Its access and error log. */
  log(): string {
    return readFileSync(join(this.folder, 'access.log'), 'utf8') + this.errors();
  }

  /** Resident memory of all its processes, in MB. */
  memory(): number {
    const { pid } = this.child;
    const workers = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
    return [pid as number, ...workers].map(megabytesOf).reduce((sum, megabytes) => sum + megabytes, 0);
  }

  /** @returns its error log */
  async stop(): Promise<string> {
    await endProcess(this.child);
    this.exit.revoke();
    const errors = this.errors();
    removeFolder(this.folder);
    return errors;
  }

  private errors(): string {
    return readFileSync(join(this.folder, 'error.log'), 'utf8');
  }
}

function optionsIn(folder: string): string[] {
  // Otherwise the workers run as another user, without access to the folder.
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  const directives = `daemon off; pid ${join(folder, 'pid')}; ${user}`;
  return ['-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf'), '-g', directives];
}

/** @throws Error if a text is not in the file, so that a replacement does not silently stop working */
function changed(text: string, changes: Changes): string {
  return Object.entries(changes).reduce((result, [from, to]) => {
    if (!result.includes(from)) throw new Error(`${FILE} has no ${from}`);
    return result.replaceAll(from, to);
  }, text);
}

/** Finds an installed nginx, else unpacks Debian's package in `folder`: installing it would start a service. */
async function findNginx(folder: string): Promise<string> {
  const installed = findProgram('nginx');
  if (installed !== undefined) return installed;
  const aptGet = (...args: string[]): Promise<unknown> => run('apt-get', ['-q', ...args], { cwd: folder });
  try {
    // The first attempt fails if the system has no package lists yet.
    await aptGet('download', 'nginx').catch(() => aptGet('update').then(() => aptGet('download', 'nginx')));
    const file = (await readdir(folder)).find((name) => name.endsWith('.deb'));
    await run('dpkg-deb', ['-x', file as string, 'root'], { cwd: folder });
    return join(folder, 'root/usr/sbin/nginx');
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    throw new Error(
      `The tests of the proxy need nginx 1.22 or later: install it, so that it is on the PATH. None was found here, and Debian's could not be unpacked: ${(stderr || message).trim()}`,
    );
  }
}
