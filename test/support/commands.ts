import { Console } from 'node:console';
import { PassThrough } from 'node:stream';
import { runCommand } from '../../src/commands/run-command.js';
import type { Ended } from './process.js';

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a command of `registry` as `runCli` does, but in this process, which saves the second that a new one takes to load everything.
 * One at a time, as a command has the environment and the console for itself.
 */
export function command(words: readonly string[], env: Record<string, string>): Promise<Ended> {
  const run = last.then(() => runHere(words, env));
  last = run;
  return run;
}

async function runHere(words: readonly string[], env: Record<string, string>): Promise<Ended> {
  const written = new PassThrough();
  const [given, shown] = [process.env, globalThis.console];
  process.env = { PATH: given['PATH'], LOG_LEVEL: 'warn', ...env };
  globalThis.console = new Console(written);
  try {
    const code = await runCommand(words);
    return { code, output: (await written.end().toArray()).join('') };
  } finally {
    process.env = given;
    globalThis.console = shown;
  }
}
