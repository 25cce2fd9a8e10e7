import { Command, InvalidArgumentError, Option } from 'commander';
import { type Setting, SETTINGS, simulate } from './simulate.js';

interface Options {
  seed: number;
  seeds: number;
  changes?: number;
  operations: number;
  writers: number;
  setting?: string;
}

const PROGRESS_MS = 10_000;

function count(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It is a whole number.');
  return Number(text);
}

const program = new Command('npm run test:simulation --')
  .description('Runs seeded histories of the ledger and the feed over a simulated database, until one breaks a promise')
  .option('--seed <number>', 'the first seed', count, 1)
  .option('--seeds <number>', 'how many, one after the other', count, 1)
  .option('--changes <number>', 'go on until this many changes were acknowledged', count)
  .option('--operations <number>', 'writes of one history', count, 100)
  .option('--writers <number>', 'clients that write at the same time', count, 6)
  .addOption(new Option('--setting <name>', 'only this kind of database').choices(SETTINGS.map(({ name }) => name)))
  .parse();

const options = program.opts<Options>();
const settings = SETTINGS.filter(({ name }) => options.setting === undefined || name === options.setting);

interface Total {
  histories: number;
  changes: number;
  crashes: number;
  kills: number;
}

const total: Total = { histories: 0, changes: 0, crashes: 0, kills: 0 };
const began = performance.now();
let toldAt = began;

function tell(): void {
  const seconds = Math.round((performance.now() - began) / 1_000);
  const { histories, changes, crashes, kills } = total;
  console.log(
    `${seconds} s: ${histories} histories, ${changes} changes, ${crashes} crashes of the database, ${kills} kills`,
  );
}

async function runOne(seed: number, setting: Setting): Promise<boolean> {
  const { operations, writers } = options;
  const outcome = await simulate({ seed, setting, operations, writers });
  total.histories++;
  for (const what of ['changes', 'crashes', 'kills'] as const) total[what] += outcome[what];
  if (outcome.violations.length === 0) return true;
  console.error(`Broken on ${setting.name}:\n  ${outcome.violations.join('\n  ')}`);
  const again = `--seed ${seed} --operations ${operations} --writers ${writers} --setting '${setting.name}'`;
  console.error(`Again: npm run test:simulation -- ${again}`);
  return false;
}

async function main(): Promise<void> {
  const { seed, seeds, changes } = options;
  const isEnough = (at: number): boolean => (changes === undefined ? at >= seed + seeds : total.changes >= changes);
  for (let at = seed; !isEnough(at); at++) {
    for (const setting of settings) {
      if (await runOne(at, setting)) continue;
      process.exitCode = 1;
      return;
    }
    if (performance.now() - toldAt < PROGRESS_MS) continue;
    toldAt = performance.now();
    tell();
  }
  tell();
  console.log(`No promise was broken (seeds from ${seed} on)`);
}

await main();
