#!/usr/bin/env node
import './supported-node.js';
import { runCommand } from './run-command.js';
import { EXIT } from './sync-error.js';

const end = new AbortController();
const endGracefully = (): void => end.abort();
// The first signal ends gracefully; a second one ends at once.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, endGracefully);
// A closed terminal sends SIGHUP twice: from the shell and from the system.
process.on('SIGHUP', endGracefully);

for (const stream of [process.stdout, process.stderr])
  stream.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    // A closed terminal: ignored, because the copy does not depend on it.
    if (stream.isTTY && code === 'EIO') return;
    // A closed pipe or a full disk: finish the current write, and report that the result could not be printed.
    if (stream === process.stdout && process.exitCode !== EXIT.failed)
      process.stderr.write(`registry-sync: cannot write to standard output: ${message}\n`);
    process.exitCode = EXIT.failed;
    endGracefully();
  });

const code = await runCommand(process.argv.slice(2), end.signal);
process.exitCode ??= code;
