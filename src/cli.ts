#!/usr/bin/env node
import './supported-node.js';
import 'reflect-metadata';
import { runCommand } from './cli/run-command.js';

process.exitCode = await runCommand(process.argv.slice(2));
