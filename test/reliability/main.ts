/*
 * npm run test:reliability -- <measurement>: numbers of docs/reliability.md, each taken on a service of its own on SQLite. Ends with 1 when a
 * bound is broken.
 */
import { Command } from 'commander';
import { decimal, wholeNumber } from '../support/arguments.js';
import { hostileData } from './hostile-data.js';
import { hostileSockets } from './hostile-sockets.js';
import { soak } from './soak.js';

const program = new Command('test:reliability').description('Measures what docs/reliability.md says');

program
  .command('hostile-sockets')
  .description('holds on to a service with sockets that are of no use, while others read and write')
  .option('--sockets <number>', 'with slow headers, slow bodies and silence', wholeNumber, 10_000)
  .option('--unread <number>', 'that ask for a whole page and never read it', wholeNumber, 1_000)
  .option('--seconds <number>', 'of each attack', wholeNumber, 60)
  .action(hostileSockets);
program
  .command('hostile-data')
  .description('the heaviest data and requests that there may be, while others read and write')
  .option('--seconds <number>', 'of each attack', wholeNumber, 10)
  .option('--only <words>', 'attacks whose names have these words', '')
  .action(hostileData);
program
  .command('soak')
  .description('one process under a steady load for a long time: its memory must not grow')
  .option('--minutes <number>', 'how long', decimal, 30)
  .option('--share <number>', 'of the rate that is answered at the beginning', decimal, 0.7)
  .action(soak);

await program.parseAsync();
