/*
 * npm run test:reliability -- <measurement>: the numbers of docs/reliability.md, each taken on a service of its own.
 */
import { Command } from 'commander';

const program = new Command('test:reliability').description('Measures what docs/reliability.md says');

try {
  await program.parseAsync();
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}
