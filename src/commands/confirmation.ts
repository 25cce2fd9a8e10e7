import { basename } from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import { parseDatabaseUrl } from '../config/database-url.js';

/** Who can be asked; standard output is for what the command says. */
interface Terminal {
  input: Readable & { isTTY?: boolean };
  output: Writable;
}

/**
 * Before data are thrown away, somebody has to say whose: DATABASE_URL may be another one than was thought of.
 * @param said the name, where it was given with --yes
 * @throws Error unless it is the database's name
 */
export async function assertMeant(
  databaseUrl: string,
  said: string | undefined,
  terminal: Terminal = { input: process.stdin, output: process.stderr },
): Promise<void> {
  const name = databaseName(databaseUrl);
  const answer = said ?? (await ask(name, terminal));
  if (answer !== name)
    throw new Error(`The database of DATABASE_URL is ${name}, and not ${JSON.stringify(answer)}: nothing was changed`);
}

/** Of a server's database its name, of a file the file's. */
function databaseName(databaseUrl: string): string {
  const address = parseDatabaseUrl(databaseUrl);
  if (address === undefined) throw new Error('DATABASE_URL cannot be read');
  return address.kind === 'sqlite' ? basename(address.path) : address.database;
}

async function ask(name: string, { input, output }: Terminal): Promise<string> {
  if (input.isTTY !== true)
    throw new Error(`--replace throws away what is in ${name}: say that it is meant with --yes ${name}`);
  const terminal = createInterface({ input, output });
  const closed = new AbortController();
  terminal.once('close', () => closed.abort());
  try {
    const question = `This throws away what is in ${name}. Its name, to go on: `;
    return (await terminal.question(question, { signal: closed.signal })).trim();
  } catch {
    throw new Error('No name was given: nothing was changed');
  } finally {
    terminal.close();
  }
}
