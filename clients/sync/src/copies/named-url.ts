import { readFileSync } from 'node:fs';
import { EXIT, SyncError } from '../sync-error.js';

/**
 * Resolves a target given as `env:NAME` (an environment variable) or `file:PATH` (a file's text), which keeps its password out of the process list
 * and the shell's history.
 * @param text the target itself, or one of these
 * @throws SyncError naming the variable or the file, but never their contents
 */
export function namedUrl(text: string, env: NodeJS.ProcessEnv = process.env): string {
  const [, kind, name = ''] = /^(env|file):(.+)$/s.exec(text) ?? [];
  if (kind === undefined) return text;
  const url = kind === 'env' ? env[name] : textOf(name);
  if (url) return url;
  const fault = kind === 'env' ? `There is no environment variable ${name}` : `The file ${name} is empty`;
  throw new SyncError(fault, EXIT.usage);
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new SyncError(`The target cannot be read: ${(error as Error).message}`, EXIT.usage, { cause: error });
  }
}
