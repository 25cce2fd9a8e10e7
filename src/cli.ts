#!/usr/bin/env node
import './supported-node.js';
import 'reflect-metadata';
import { runCommand } from './cli/run-command.js';
import { readEnvFile } from './platform/config/env-file.js';

try {
  readEnvFile();
  process.exitCode = await runCommand(process.argv.slice(2));
} catch (error) {
  console.error(`registry: ${(error as Error).message}`);
  process.exitCode = 1;
}
