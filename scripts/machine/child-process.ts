import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';

const STOP_MS = 10_000;

/** Whom a program runs as, where this process is root and the program refuses root. */
export interface OtherUser {
  uid: number;
  gid: number;
}

/** Starts a child that writes to a log file; a script heads its own process group, so that what it starts can be ended with it. */
export function spawnChild(
  command: string,
  options: string[],
  logFile: string,
  isScript = false,
  user?: OtherUser,
): ChildProcess {
  const log = openSync(logFile, 'a');
  try {
    return spawn(command, options, { stdio: ['ignore', log, log], detached: isScript, ...user });
  } finally {
    closeSync(log);
  }
}

/** Waits for the end of a child and throws unless it is a good one. */
export async function succeed(child: ChildProcess): Promise<void> {
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  if (code !== 0) throw new Error(`${child.spawnfile} ended with ${code ?? signal}`);
}

/** Asks a child to end, and forces it when it takes too long. */
export async function endProcess(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const ended = once(child, 'exit');
  child.ref();
  child.kill('SIGTERM');
  const timer = setTimeout(killChild, STOP_MS, child);
  await ended;
  clearTimeout(timer);
}

/** Ends a child, or the whole group that it heads, without waiting. */
export function killChild(child: ChildProcess): void {
  if (child.pid === undefined || hasEnded(child)) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    child.kill('SIGKILL');
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
}
