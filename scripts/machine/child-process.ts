import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';

const STOP_MS = 10_000;

/** The user as whom to run a program that refuses root, if this process is root. */
export interface OtherUser {
  uid: number;
  gid: number;
}

/** Starts a child that writes to a log file; a script becomes the leader of a process group, so that killing it kills its children. */
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

/** Waits until a child exits. @throws Error unless its exit code is 0 */
export async function succeed(child: ChildProcess): Promise<void> {
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  if (code !== 0) throw new Error(`${child.spawnfile} ended with ${code ?? signal}`);
}

/** Terminates a child, and kills it if that takes too long. */
export async function endProcess(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const ended = once(child, 'exit');
  child.ref();
  child.kill('SIGTERM');
  const timer = setTimeout(killChild, STOP_MS, child);
  await ended;
  clearTimeout(timer);
}

/** Kills a child, or the process group that it leads, without waiting. */
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
