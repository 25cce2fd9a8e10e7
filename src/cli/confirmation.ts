import { basename } from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import { parseDatabaseUrl } from '../platform/config/database-url.js';

/** Streams for questions to the operator, without standard output, which has the command's results. */
interface Terminal {
  input: Readable & { isTTY?: boolean };
  output: Writable;
}

/** Says what will be lost; the name of the database follows. */
interface Warning {
  /** Beginning of the question at a terminal. */
  question: string;
  /** Beginning of the error without a terminal. */
  error: string;
}

const REPLACING: Warning = {
  question: 'This discards the contents of',
  error: '--replace discards the contents of',
};

/**
 * Makes the operator name the database before data are lost, because DATABASE_URL may not be the intended one.
 * @param given the name given with --yes
 * @throws Error unless it is the database's name
 */
export async function assertConfirmed(
  databaseUrl: string,
  given: string | undefined,
  terminal: Terminal = { input: process.stdin, output: process.stderr },
  warning = REPLACING,
): Promise<void> {
  const name = databaseName(databaseUrl);
  const answer = given ?? (await ask(name, terminal, warning));
  if (answer !== name)
    throw new Error(`The database of DATABASE_URL is ${name}, and not ${JSON.stringify(answer)}: nothing was changed`);
}

/** @returns the name to confirm: of the database on a server, or of the SQLite file */
export function databaseName(databaseUrl: string): string {
  const address = parseDatabaseUrl(databaseUrl);
  if (address === undefined) throw new Error('DATABASE_URL cannot be read');
  return address.kind === 'sqlite' ? basename(address.path) : address.database;
}

async function ask(name: string, terminal: Terminal, warning: Warning): Promise<string> {
  if (terminal.input.isTTY !== true) throw new Error(`${warning.error} ${name}: confirm with --yes ${name}`);
  const answer = await promptAt(terminal, `${warning.question} ${name}. Type its name to continue: `);
  if (answer === undefined) throw new Error('No name was given: nothing was changed');
  return answer;
}

/** Asks a question. @returns the trimmed answer; undefined after Ctrl+C, Ctrl+D or when the terminal is closed */
export async function promptAt({ input, output }: Terminal, question: string): Promise<string | undefined> {
  const terminal = createInterface({ input, output });
  const closed = new AbortController();
  terminal.once('close', () => closed.abort());
  try {
    return (await terminal.question(question, { signal: closed.signal })).trim();
  } catch {
    return undefined;
  } finally {
    terminal.close();
  }
}
