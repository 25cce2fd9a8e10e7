#!/usr/bin/env node
import './supported-node.js';
import { runCommand } from './run-command.js';

const end = new AbortController();
// Once: who asks again does not want to wait for what is being written.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => end.abort());

// A terminal that was closed takes nothing more: that is no reason to leave what is being written.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (!stream.isTTY || error.code !== 'EIO') throw error;
  });

process.exitCode = await runCommand(process.argv.slice(2), end.signal);
