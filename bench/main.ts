/*
 * npm run bench: how fast the registry is, compared with a hand-written server and with one on Fastify.
 */
import { Command } from 'commander';
import { addGrowth } from './growth.js';
import { addLive } from './live.js';
import { addRun } from './run.js';

const program = new Command('bench').description(
  'Measures how fast the registry is, compared with a hand-written server',
);

addRun(program);
addGrowth(program);
addLive(program);

await program.parseAsync();
