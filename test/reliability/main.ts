/*
 * npm run test:reliability -- <measurement>: measures the numbers of docs/reliability.md, each on a separate service on SQLite. Exits with 1 if a
 * bound is exceeded.
 */
import { Command } from 'commander';
import { decimal, wholeNumber } from '../support/arguments.js';
import { hostileData } from './hostile-data.js';
import { hostileSockets } from './hostile-sockets.js';
import { soak } from './soak.js';

const program = new Command('test:reliability').description('Measures what docs/reliability.md says');

program
  .command('hostile-sockets')
  .description('keeps useless sockets open, while other clients read and write')
  .option('--sockets <number>', 'sockets with slow headers, slow bodies or silence', wholeNumber, 10_000)
  .option('--unread <number>', 'sockets that request a whole page and never read it', wholeNumber, 1_000)
  .option('--seconds <number>', 'of each attack', wholeNumber, 60)
  .action(hostileSockets);
program
  .command('hostile-data')
  .description('sends the heaviest data and requests that are accepted, while other clients read and write')
  .option('--seconds <number>', 'of each attack', wholeNumber, 10)
  .option('--only <words>', 'only attacks whose names contain this', '')
  .action(hostileData);
program
  .command('soak')
  .description('loads one process steadily for a long time: its memory must not grow')
  .option('--minutes <number>', 'how long', decimal, 30)
  .option('--share <number>', 'of the maximum rate, measured at the beginning', decimal, 0.7)
  .action(soak);

await program.parseAsync();
