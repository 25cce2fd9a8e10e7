import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { NotFetchedError, NotInstalledError } from './apt-get.ts';

const run = promisify(execFile);
const MAX_OUTPUT = 64 * 1024 * 1024;
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
/** System packages that the server does not need. */
const NOT_NEEDED = /^(?:perl|libperl|debconf|dpkg|tar)/;
/** The folder of the server's own libraries, which it uses instead of the system's. */
const LIBRARIES = 'usr/lib/x86_64-linux-gnu';

/**
 * The path of a MySQL server in a dedicated folder. Debian has MySQL in its unstable release only, so the first call downloads those packages with
 * all dependencies, libc included, and unpacks them; nothing is installed.
 * @throws NotInstalledError if that is impossible, NotFetchedError if it fails
 */
export async function unpackMySql(): Promise<string> {
  const folder = unpackFolder();
  const program = programIn(folder);
  if (existsSync(program)) return program;
  if (!existsSync(KEYRING) || process.arch !== 'x64')
    throw new NotInstalledError('it can be unpacked without installing it only on Debian for x86-64.');
  process.stderr.write(
    `No MySQL found: unpacking that of Debian's unstable release in ${folder} (nothing is installed)\n`,
  );
  try {
    await rm(folder, { recursive: true, force: true });
    await unpack(folder);
    // The starter is written last, because its existence marks the unpacking as complete.
    await writeStarter(folder, program);
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    throw new NotFetchedError(`it could not be unpacked: ${(stderr || message).trim()}`);
  }
  return program;
}

/** The path of a server that an earlier call unpacked. */
export function findUnpackedMySql(): string | undefined {
  return [programIn(unpackFolder())].find((program) => existsSync(program));
}

function unpackFolder(): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'asset-registry', 'mysql');
}

function programIn(folder: string): string {
  return join(folder, 'bin', 'mysqld');
}

async function unpack(folder: string): Promise<void> {
  const packages = join(folder, 'packages');
  for (const needed of ['lists/partial', 'cache/archives/partial', 'packages', 'root', 'bin'])
    await mkdir(join(folder, needed), { recursive: true });
  const env = { ...process.env, APT_CONFIG: await writeAptConfig(folder) };
  const aptGet = (args: string[], cwd = folder) => run('apt-get', ['-q', ...args], { env, cwd, maxBuffer: MAX_OUTPUT });
  await aptGet(['update']);
  // The configuration lists no package as installed, so the simulation names all that are needed.
  const { stdout } = await aptGet(['-s', '--no-install-recommends', 'install', 'mysql-server-core']);
  const names = [...stdout.matchAll(/^Inst (\S+)/gm)].map(([, name]) => name as string);
  await aptGet(['download', ...names.filter((name) => !NOT_NEEDED.test(name))], packages);
  for (const file of await readdir(packages)) await run('dpkg-deb', ['-x', join(packages, file), join(folder, 'root')]);
  for (const used of ['packages', 'cache', 'lists']) await rm(join(folder, used), { recursive: true });
}

/** Configures apt-get for that release only, without touching the system's state. */
async function writeAptConfig(folder: string): Promise<string> {
  const sources = join(folder, 'sources.list');
  const status = join(folder, 'status');
  const path = join(folder, 'apt.conf');
  await writeFile(sources, `deb [signed-by=${KEYRING}] ${await mirror()} unstable main\n`);
  await writeFile(status, '');
  const settings = {
    'Dir::Etc::sourcelist': sources,
    'Dir::Etc::sourceparts': '/dev/null',
    'Dir::Etc::preferencesparts': '/dev/null',
    'Dir::State::lists': join(folder, 'lists'),
    'Dir::State::status': status,
    'Dir::Cache': join(folder, 'cache'),
    'APT::Sandbox::User': 'root',
    'Acquire::Languages': 'none',
    'Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled': 'false',
  };
  await writeFile(
    path,
    Object.entries(settings)
      .map(([name, value]) => `${name} "${value}";\n`)
      .join(''),
  );
  return path;
}

/** The Debian mirror in the system's apt configuration. */
async function mirror(): Promise<string> {
  const args = ['indextargets', '--format', '$(ORIGIN)|$(REPO_URI)', 'Created-By: Packages', 'Component: main'];
  const ask = async (): Promise<string | undefined> =>
    /^Debian\|(?!.*-security)(.+)$/m.exec((await run('apt-get', args)).stdout)?.[1];
  const known = await ask();
  if (known !== undefined) return known;
  await run('apt-get', ['-q', 'update'], { maxBuffer: MAX_OUTPUT });
  const found = await ask();
  if (found === undefined) throw new Error('apt-get knows no mirror of Debian');
  return found;
}

/** A script that starts the server with the libraries and files of its package. */
async function writeStarter(folder: string, program: string): Promise<void> {
  const root = join(folder, 'root');
  const usr = join(root, 'usr');
  const files = [
    `--basedir="${usr}"`,
    `--plugin-dir="${usr}/lib/mysql/plugin"`,
    `--lc-messages-dir="${usr}/share/mysql"`,
    `--character-sets-dir="${usr}/share/mysql/charsets"`,
    '--secure-file-priv=NULL',
  ];
  const loader = `"${usr}/lib64/ld-linux-x86-64.so.2" --library-path "${join(root, LIBRARIES)}"`;
  await writeFile(program, `#!/bin/sh\nexec ${loader} "${usr}/sbin/mysqld" "$@" ${files.join(' ')}\n`, { mode: 0o755 });
}
