import { runCommand } from '../../clients/sync/src/run-command.js';
import type { SyncEnded } from './sync-process.js';

let last: Promise<unknown> = Promise.resolve();

/** Runs registry-sync in this process, which saves loading time. Commands run one at a time, because each captures the output exclusively. */
export function syncCommand(...words: string[]): Promise<SyncEnded> {
  const run = last.then(() => runHere(words));
  last = run;
  return run;
}

async function runHere(words: readonly string[]): Promise<SyncEnded> {
  const written = { stdout: '', stderr: '' };
  const { stdout, stderr } = process;
  const streams = { stdout, stderr };
  const shown = { stdout: stdout.write.bind(stdout), stderr: stderr.write.bind(stderr) };
  for (const name of ['stdout', 'stderr'] as const)
    streams[name].write = (text: string | Uint8Array) => {
      written[name] += String(text);
      return true;
    };
  try {
    const code = await runCommand(words, new AbortController().signal);
    return { code, ...written };
  } finally {
    for (const name of ['stdout', 'stderr'] as const) streams[name].write = shown[name];
  }
}
