import { readFileSync } from 'node:fs';

/**
 * Reads the URL of a database that a command line names as `env:NAME` (an environment variable) or `file:PATH` (the text of a file): a
 * password in it is then neither in the list of processes nor in the history of the shell.
 * @param text the URL itself, or one of these
 * @throws Error that names the variable or the file, and never their contents
 */
export function namedUrl(text: string, env: NodeJS.ProcessEnv = process.env): string {
  const [, kind, name = ''] = /^(env|file):(.+)$/s.exec(text) ?? [];
  if (kind === undefined) return text;
  const url = kind === 'env' ? env[name] : readFileSync(name, 'utf8').trim();
  if (url) return url;
  throw new Error(kind === 'env' ? `There is no environment variable ${name}` : `The file ${name} is empty`);
}
