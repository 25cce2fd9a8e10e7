import { Console } from 'node:console';
import { PassThrough } from 'node:stream';
import { runCommand } from '../../src/cli/run-command.js';

/** Runs a command of `registry` with this environment in this process, and captures the console meanwhile. */
export async function runCommandWith(
  words: readonly string[],
  env: Record<string, string>,
): Promise<{ code: number; output: string }> {
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
