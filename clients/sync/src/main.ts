#!/usr/bin/env node
import './supported-node.js';
import { runCommand } from './run-command.js';

const end = new AbortController();
const endInOrder = (): void => end.abort();
// Once: who asks again does not want to wait for what is being written.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, endInOrder);
// A terminal that is closed says so twice: the shell does, and the system.
process.on('SIGHUP', endInOrder);

// A terminal that was closed takes nothing more: that is no reason to leave what is being written.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (!stream.isTTY || error.code !== 'EIO') throw error;
  });

process.exitCode = await runCommand(process.argv.slice(2), end.signal);
