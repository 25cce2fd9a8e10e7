#!/usr/bin/env node
import './supported-node.js';
import { runCommand } from './run-command.js';
import { EXIT } from './sync-error.js';

const end = new AbortController();
const endInOrder = (): void => end.abort();
// Only the first signal ends in order; the second one ends at once.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, endInOrder);
// A closed terminal sends SIGHUP twice: from the shell and from the system.
process.on('SIGHUP', endInOrder);

for (const stream of [process.stdout, process.stderr])
  stream.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    // A closed terminal accepts no output, which is no reason to interrupt a write.
    if (stream.isTTY && code === 'EIO') return;
    // A closed reader or a full disk does not interrupt a write either, but the result cannot be printed.
    if (stream === process.stdout && process.exitCode !== EXIT.failed)
      process.stderr.write(`registry-sync: nothing can be written to standard output: ${message}\n`);
    process.exitCode = EXIT.failed;
    endInOrder();
  });

const code = await runCommand(process.argv.slice(2), end.signal);
process.exitCode ??= code;
