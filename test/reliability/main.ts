/*
 * npm run test:reliability -- <measurement>: the numbers of docs/reliability.md, each taken on a service of its own.
 */
import { Command } from 'commander';
import { addBackup } from './backup.command.js';
import { fuzzCommand } from './fuzz.js';
import { generate, GENERATOR } from './generators.js';
import { attackCommand, hostileSocketsCommand, stayHealthyCommand } from './hostile-sockets.js';
import { addHostileData } from './hostile-data.command.js';
import { greedyBrokerCommand } from './greedy-broker.js';
import { othersCommand } from './others.js';
import { addOverload } from './overload.command.js';
import { rateLimitCommand } from './rate-limit.js';
import { addRollingRestarts } from './rolling-restarts.command.js';
import { addSoak } from './soak.command.js';

const program = new Command('test:reliability').description('Measures what docs/reliability.md says');

addBackup(program);
addHostileData(program);
addOverload(program);
addRollingRestarts(program);
addSoak(program);
program
  .addCommand(fuzzCommand)
  .addCommand(greedyBrokerCommand)
  .addCommand(hostileSocketsCommand)
  .addCommand(rateLimitCommand);

// Processes of their own that the measurements start.
for (const part of [attackCommand, othersCommand, stayHealthyCommand]) program.addCommand(part, { hidden: true });
program.command(GENERATOR, { hidden: true }).action(generate);

try {
  await program.parseAsync();
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}
