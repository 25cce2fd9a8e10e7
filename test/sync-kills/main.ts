/*
 * npm run test:sync-kills: kills registry-sync and the service while they copy, and verifies that each copy came to be the same as the registry.
 */
import { randomInt } from 'node:crypto';
import { Command, Option } from 'commander';
import { wholeNumber } from '../support/arguments.js';
import { Random } from '../support/random.js';
import { runKills } from './run-kills.js';
import { openPlaces, type TargetKind, TARGETS } from './targets.js';

interface Options {
  kills: number;
  assets: number;
  target: TargetKind[];
  seed: number;
}

const { kills, assets, target, seed } = new Command('test:sync-kills')
  .option('--kills <number>', 'of runner and service together, for each kind of copy', wholeNumber, 100)
  .option('--assets <number>', 'in the registry when it begins', wholeNumber, 20_000)
  .addOption(new Option('--target <kinds...>', 'kinds of copies').choices(TARGETS).default([...TARGETS]))
  .option('--seed <number>', 'repeats the choices of an earlier run', wholeNumber, randomInt(2 ** 31))
  .parse()
  .opts<Options>();

console.log(`seed ${seed}`);
for (const kind of target) {
  const places = await openPlaces(kind);
  try {
    const report = await runKills({ ...places, random: new Random(seed), kills, assets });
    console.log(JSON.stringify({ kind, ...report, differences: report.differences.slice(0, 10) }));
    if (report.differences.length > 0) process.exitCode = 1;
  } finally {
    await places.stop();
  }
}
