import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cleanUpAtExit } from '../../scripts/machine/clean-up-at-exit.js';
import type { Ran } from './judgement.js';

const GRACE_MS = 10_000;

/** Runs one program to its end, or to its time limit: it is then ended with everything that it started. */
export async function runProgram(
  words: readonly string[],
  folder: string,
  limitMs: number,
  env: Record<string, string> = {},
): Promise<Ran> {
  const [command, ...options] = words as [string, ...string[]];
  // A process group of its own, and only that is ended.
  const child = spawn(command, options, { cwd: folder, env: { ...process.env, ...env }, detached: true });
  const exit = cleanUpAtExit(() => signalGroup(child, 'SIGTERM'));
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  let timedOut = false;
  const limits = [
    setTimeout(() => {
      timedOut = true;
      signalGroup(child, 'SIGTERM');
    }, limitMs),
    setTimeout(() => signalGroup(child, 'SIGKILL'), limitMs + GRACE_MS),
  ];
  const [code] = (await once(child, 'close')) as [number | null];
  limits.forEach(clearTimeout);
  exit.revoke();
  return { code, output, timedOut };
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended by itself.
  }
}
