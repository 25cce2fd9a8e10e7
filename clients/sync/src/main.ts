#!/usr/bin/env node
import './supported-node.js';
import { runCommand } from './run-command.js';

const end = new AbortController();
// Once: who asks again does not want to wait for what is being written.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => end.abort());

process.exitCode = await runCommand(process.argv.slice(2), end.signal);
