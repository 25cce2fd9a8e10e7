import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { installPackages } from '../../scripts/machine/apt-get.ts';
import { findProgram, isExecutable } from '../../scripts/machine/find-program.ts';

/** Debian's folder of the programs of each version, which is not on the PATH. */
const VERSIONS = '/usr/lib/postgresql';

const HOW_TO_GET_ONE = [
  'The tests of copies in PostgreSQL need a server. Do one of these:',
  '  - set TEST_POSTGRES_URL=postgres://user:password@host:port (the user must be allowed to create databases),',
  '  - install postgresql: its programs are started privately, in a temporary folder.',
].join('\n');

/**
 * The given server URL, else the folder of installed programs, else of programs that are installed now. @throws Error with instructions to get them
 */
export async function findPostgres(): Promise<string> {
  const given = process.env.TEST_POSTGRES_URL;
  if (given) {
    if (/^postgres(?:ql)?:\/\/./.test(given)) return given;
    throw new Error('TEST_POSTGRES_URL must look like postgres://user:password@host:port.');
  }
  return findFolder() ?? (await install());
}

function findFolder(): string | undefined {
  const versions = existsSync(VERSIONS)
    ? readdirSync(VERSIONS).toSorted((one, other) => Number(other) - Number(one))
    : [];
  const folders = versions.map((version) => join(VERSIONS, version, 'bin'));
  const program = findProgram('postgres');
  if (program !== undefined) folders.push(dirname(program));
  return folders.find((folder) => ['postgres', 'initdb'].every((name) => isExecutable(join(folder, name))));
}

async function install(): Promise<string> {
  const note = 'Debian may start a server, which the tests do not use';
  try {
    await installPackages('No PostgreSQL found', ['postgresql'], note);
  } catch (error) {
    throw new Error(`${HOW_TO_GET_ONE}\nNone was found here, and ${(error as Error).message}`);
  }
  const folder = findFolder();
  if (folder === undefined) throw new Error(HOW_TO_GET_ONE);
  return folder;
}
