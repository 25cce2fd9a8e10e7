import { execFileSync } from 'node:child_process';
import { installPackages } from './apt-get.ts';
import { findProgram } from './find-program.ts';
import { findUnpackedMySql, unpackMySql } from './unpack-mysql.ts';

/** Which server is to be taken, `mariadb` or `mysql`; whichever is installed where nothing else is said. */
const WANTED = 'TEST_SERVER';
/** Binaries only: the packages that bring a system service, its user and its data folder are mariadb-server and mariadb-client. */
const MARIADB = ['mariadb-server-core', 'mariadb-client-core'];

/**
 * The path of a database server that is there already; with `TEST_SERVER` of that one.
 * @throws Error for another name of a server
 */
export function findServerProgram(): string | undefined {
  const wanted = process.env[WANTED];
  if (!wanted) return findProgram('mariadbd', 'mysqld');
  if (wanted === 'mariadb') return findProgram('mariadbd');
  if (wanted === 'mysql') return findMySql();
  throw new Error(`${WANTED} is ${wanted}, and only mariadb and mysql can be taken.`);
}

/** The same; where it is not there, it is installed or unpacked. @throws NotInstalledError where that cannot be done */
export async function takeServerProgram(): Promise<string> {
  const found = findServerProgram();
  if (found !== undefined) return found;
  if (process.env[WANTED] === 'mysql') return await unpackMySql();
  await installPackages('No database server found', MARIADB);
  return findServerProgram() ?? 'mariadbd';
}

/** Where MariaDB is installed, it may go by that name too. */
function findMySql(): string | undefined {
  const program = findProgram('mysqld');
  return program === undefined || isMariaDb(program) ? findUnpackedMySql() : program;
}

/** Whether a program is MariaDB's server, and not MySQL's. */
export function isMariaDb(program: string): boolean {
  return execFileSync(program, ['--no-defaults', '--version'], { encoding: 'utf8' }).includes('MariaDB');
}
