import { readFileSync } from 'node:fs';

/**
 * Resolves a database URL of a command line. With `env:NAME` (an environment variable) or `file:PATH` (a file's text), its password is
 * neither in the process list nor in the shell's history.
 * @param text the URL itself, or one of these
 * @throws Error naming the variable or the file, never its contents
 */
export function namedUrl(text: string, env: NodeJS.ProcessEnv = process.env): string {
  const [, kind, name = ''] = /^(env|file):(.+)$/s.exec(text) ?? [];
  if (kind === undefined) return text;
  const url = kind === 'env' ? env[name] : readFileSync(name, 'utf8').trim();
  if (url) return url;
  throw new Error(kind === 'env' ? `There is no environment variable ${name}` : `The file ${name} is empty`);
}
