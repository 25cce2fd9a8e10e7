import { basename } from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import { parseDatabaseUrl } from '../platform/config/database-url.js';

/** The terminal at which somebody can be asked; standard output is for what the command says. */
interface Terminal {
  input: Readable & { isTTY?: boolean };
  output: Writable;
}

/** What is done to data: `--replace throws away what is in`, before a database's name. */
interface Deed {
  /** Begins the question, where somebody can be asked. */
  asked: string;
  /** Begins the error, where nobody can be asked. */
  told: string;
}

const REPLACING: Deed = {
  asked: 'This throws away what is in',
  told: '--replace throws away what is in',
};

/**
 * Before data are thrown away, somebody has to say whose: DATABASE_URL may be another one than was thought of.
 * @param said the name, where it was given with --yes
 * @throws Error unless it is the database's name
 */
export async function assertConfirmed(
  databaseUrl: string,
  said: string | undefined,
  terminal: Terminal = { input: process.stdin, output: process.stderr },
  deed = REPLACING,
): Promise<void> {
  const name = databaseName(databaseUrl);
  const answer = said ?? (await ask(name, terminal, deed));
  if (answer !== name)
    throw new Error(`The database of DATABASE_URL is ${name}, and not ${JSON.stringify(answer)}: nothing was changed`);
}

/** The name to confirm: that of a server's database, or of a file. */
export function databaseName(databaseUrl: string): string {
  const address = parseDatabaseUrl(databaseUrl);
  if (address === undefined) throw new Error('DATABASE_URL cannot be read');
  return address.kind === 'sqlite' ? basename(address.path) : address.database;
}

async function ask(name: string, terminal: Terminal, deed: Deed): Promise<string> {
  if (terminal.input.isTTY !== true) throw new Error(`${deed.told} ${name}: say that it is meant with --yes ${name}`);
  const answer = await answerTo(`${deed.asked} ${name}. Its name, to go on: `, terminal);
  if (answer === undefined) throw new Error('No name was given: nothing was changed');
  return answer;
}

/** @returns what is typed, without blanks around; undefined where the terminal is closed instead, or Ctrl+C or Ctrl+D is pressed */
export async function answerTo(question: string, { input, output }: Terminal): Promise<string | undefined> {
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
