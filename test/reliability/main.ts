/*
 * npm run test:reliability -- <measurement>: the numbers of docs/reliability.md, each taken on a service of its own.
 */
import { Command } from 'commander';
import { addBackup } from './backup.command.js';
import { addRollingRestarts } from './rolling-restarts.command.js';

const program = new Command('test:reliability').description('Measures what docs/reliability.md says');

addBackup(program);
addRollingRestarts(program);

try {
  await program.parseAsync();
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}
