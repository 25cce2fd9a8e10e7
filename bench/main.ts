/*
 * npm run bench: how fast the registry is, beside a floor that anyone could write by hand.
 */
import { Command } from 'commander';
import { addChart } from './chart.command.js';
import { addGroups } from './groups/groups.command.js';
import { addGrowth } from './growth/growth.command.js';
import { generate, GENERATOR } from './load/generators.js';
import { addLive } from './live/live.command.js';
import { addPages } from './pages/pages.command.js';
import { addRun } from './run.command.js';
import { addSearch } from './search/search.command.js';
import { addServices } from './services/services.command.js';
import { addSync } from './sync/sync.command.js';

const program = new Command('bench').description(
  'Measures how fast the registry is, beside a hand-written minimal server',
);

addRun(program);
addGrowth(program);
addGroups(program);
addChart(program);
addSync(program);
addSearch(program);
addLive(program);
addPages(program);
addServices(program);
program.command(GENERATOR, { hidden: true }).action(generate);

try {
  await program.parseAsync();
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}
