#!/usr/bin/env node
import './supported-node.js';
import { runCommand } from './run-command.js';
import { EXIT } from './sync-error.js';

const end = new AbortController();
const endInOrder = (): void => end.abort();
// Once: who asks again does not want to wait for what is being written.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, endInOrder);
// A terminal that is closed says so twice: the shell does, and the system.
process.on('SIGHUP', endInOrder);

for (const stream of [process.stdout, process.stderr])
  stream.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    // A terminal that was closed takes nothing more: that is no reason to leave what is being written.
    if (stream.isTTY && code === 'EIO') return;
    // Nor is a reader that has gone, or a full disk: but nobody is told how it went.
    if (stream === process.stdout && process.exitCode !== EXIT.failed)
      process.stderr.write(`registry-sync: nothing can be written to standard output: ${message}\n`);
    process.exitCode = EXIT.failed;
    endInOrder();
  });

const code = await runCommand(process.argv.slice(2), end.signal);
process.exitCode ??= code;
