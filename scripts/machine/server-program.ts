import { execFileSync } from 'node:child_process';
import { installPackages } from './apt-get.ts';
import { findProgram } from './find-program.ts';
import { findUnpackedMySql, unpackMySql } from './unpack-mysql.ts';

/** Selects the server, `mariadb` or `mysql`; without it, either one that is installed. */
const WANTED = 'TEST_SERVER';
/** Packages with binaries only: mariadb-server and mariadb-client would add a system service, its user and its data folder. */
const MARIADB = ['mariadb-server-core', 'mariadb-client-core'];

/**
 * The path of an installed database server: the one that `TEST_SERVER` selects, if set.
 * @throws Error for an unknown name in TEST_SERVER
 */
export function findServerProgram(): string | undefined {
  const wanted = process.env[WANTED];
  if (!wanted) return findProgram('mariadbd', 'mysqld');
  if (wanted === 'mariadb') return findProgram('mariadbd');
  if (wanted === 'mysql') return findMySql();
  throw new Error(`${WANTED} is ${wanted}, but only mariadb and mysql are supported.`);
}

/** Finds the server's program, and installs or unpacks it if it is missing. @throws NotInstalledError if that is impossible */
export async function obtainServerProgram(): Promise<string> {
  const found = findServerProgram();
  if (found !== undefined) return found;
  if (process.env[WANTED] === 'mysql') return await unpackMySql();
  await installPackages('No database server found', MARIADB);
  return findServerProgram() ?? 'mariadbd';
}

/** MariaDB's program may also be called `mysqld`. */
function findMySql(): string | undefined {
  const program = findProgram('mysqld');
  return program === undefined || isMariaDb(program) ? findUnpackedMySql() : program;
}

/** Whether a program is MariaDB's server, and not MySQL's. */
export function isMariaDb(program: string): boolean {
  return execFileSync(program, ['--no-defaults', '--version'], { encoding: 'utf8' }).includes('MariaDB');
}
