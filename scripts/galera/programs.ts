import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { NotInstalledError } from '../machine/apt-get.ts';
import { findProgram } from '../machine/find-program.ts';
import { installGalera } from '../machine/install-mariadb.ts';

const run = promisify(execFile);
const PROVIDERS = ['/usr/lib/galera', '/usr/lib64/galera-4', '/usr/lib64/galera', '/usr/local/lib/galera'];
const SNAPSHOT_SCRIPTS = ['./usr/bin/wsrep_sst_common', './usr/bin/wsrep_sst_rsync'];
const USERS = ['mysql', 'nobody'];

const HOW_TO_GET_IT = [
  'A Galera cluster needs mariadbd, the Galera library, rsync, lsof and ps. On Debian or Ubuntu:',
  '  apt-get install mariadb-server-core mariadb-client-core galera-4 rsync lsof procps',
].join('\n');

/** What a node is made of. */
export interface GaleraPrograms {
  /** The path of mariadbd. */
  server: string;
  /** The path of the Galera library. */
  provider: string;
  /** The folder, to be first in the PATH of a node, of the scripts that copy a snapshot from one node to another. */
  scripts: string;
  /** Whom the nodes run as, where this process is root: rsync gives files away as root, and the copy would fail. */
  user: { name: string; uid: number; gid: number } | undefined;
}

/** Finds the programs, installing what is missing where that may be done; scripts that are not installed go into the folder. */
export async function findGaleraPrograms(folder: string): Promise<GaleraPrograms> {
  const { server, provider } = findInstalled() ?? (await install());
  const script = findProgram('wsrep_sst_rsync');
  const scripts = script === undefined ? await unpackSnapshotScripts(folder) : dirname(script);
  return { server, provider, scripts, user: findUser() };
}

function findInstalled(): Pick<GaleraPrograms, 'server' | 'provider'> | undefined {
  const server = findProgram('mariadbd');
  const provider = PROVIDERS.map((path) => join(path, 'libgalera_smm.so')).find((path) => existsSync(path));
  const tools = ['mariadb-install-db', 'my_print_defaults', 'rsync', 'lsof', 'ps'];
  const isComplete = tools.every((name) => findProgram(name) !== undefined);
  return server !== undefined && provider !== undefined && isComplete ? { server, provider } : undefined;
}

async function install(): Promise<Pick<GaleraPrograms, 'server' | 'provider'>> {
  try {
    await installGalera();
  } catch (error) {
    throw new NotInstalledError(`${HOW_TO_GET_IT}\nNot all of these were found here, and ${(error as Error).message}`);
  }
  const installed = findInstalled();
  if (installed === undefined) throw new NotInstalledError(HOW_TO_GET_IT);
  return installed;
}

/** The scripts are in mariadb-server, which would bring a system service, its user and its data folder: they are taken out of it. */
async function unpackSnapshotScripts(folder: string): Promise<string> {
  const unpacked = join(folder, 'package');
  mkdirSync(unpacked);
  const unpack = `dpkg-deb --fsys-tarfile mariadb-server_*.deb | tar -x ${SNAPSHOT_SCRIPTS.join(' ')}`;
  try {
    await run('apt-get', ['-q', 'download', 'mariadb-server'], { cwd: unpacked });
    await run('sh', ['-c', unpack], { cwd: unpacked });
  } catch (error) {
    const reason = (error as Error).message.trim();
    throw new NotInstalledError(
      `wsrep_sst_rsync is missing (install mariadb-server), and its package cannot be read: ${reason}`,
    );
  }
  return join(unpacked, 'usr', 'bin');
}

function findUser(): GaleraPrograms['user'] {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of USERS) {
    try {
      return { name, uid: idOf(name, '-u'), gid: idOf(name, '-g') };
    } catch {
      // There is no such user: the next one.
    }
  }
  throw new Error(`Galera nodes cannot run as root, and there is neither of the users ${USERS.join(' and ')}.`);
}

function idOf(name: string, option: '-u' | '-g'): number {
  return Number(execFileSync('id', [option, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
}
