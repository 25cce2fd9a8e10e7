import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';

const APT_GET = '/usr/bin/apt-get';
// Binaries only: the packages that bring a system service, its user and its data folder are mariadb-server and mariadb-client.
const PACKAGES = ['mariadb-server-core', 'mariadb-client-core'];
// The server without its service as above, and what its nodes copy their data with.
const GALERA_PACKAGES = [...PACKAGES, 'galera-4', 'rsync', 'lsof', 'procps'];
const WAIT_FOR_OTHER_APT = ['-o', 'DPkg::Lock::Timeout=120'];

const run = promisify(execFile);

/** Installs the binaries of MariaDB; throws where the reader may not do that or it fails. */
export async function installMariaDb(): Promise<void> {
  await install('No database server found', PACKAGES);
}

/** Installs what the nodes of a Galera cluster need; throws where the reader may not do that or it fails. */
export async function installGalera(): Promise<void> {
  await install('Not all programs of a Galera cluster found', GALERA_PACKAGES);
}

async function install(reason: string, packages: string[]): Promise<void> {
  if (!existsSync(APT_GET) || process.getuid?.() !== 0) {
    throw new Error('it can be installed only as root on a system with apt-get.');
  }
  process.stderr.write(`${reason}: installing ${packages.join(' and ')} with apt-get (no service is started)\n`);
  try {
    await aptGet('update');
    await aptGet('install', '-y', '--no-install-recommends', ...packages);
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    throw new Error(`apt-get could not install it: ${(stderr || message).trim()}`);
  }
}

async function aptGet(...args: string[]): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await run(APT_GET, ['-q', ...WAIT_FOR_OTHER_APT, ...args], { env, maxBuffer: 64 * 1024 * 1024 });
}
