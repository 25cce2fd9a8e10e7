import { type Command, Option } from 'commander';
import { decimal } from '../support/arguments.js';
import { type Kind, KINDS, LoadedService, overload, type OverloadReport, type Run } from './overload.js';
import { withPrivateDatabase } from './private-database.js';
import { quantile } from './quantile.js';

const DATABASES = ['sqlite', 'mariadb'] as const;
const LEAST_SHARE = 0.9;

interface Options {
  database: (typeof DATABASES)[number][];
  kind: Kind[];
  seconds: number;
}

/** Ends with 1 when the goodput falls below 90 % of the peak. */
export function addOverload(program: Command): void {
  program
    .command('overload')
    .description('the most that one process answers within a second, then ten times as many connections')
    .addOption(new Option('--database <name...>', 'may be repeated').choices(DATABASES).default([...DATABASES]))
    .addOption(new Option('--kind <name...>', 'may be repeated').choices(KINDS).default([...KINDS]))
    .option('--seconds <number>', 'of overload', decimal, 15)
    .action(async ({ database, kind, seconds }: Options) => {
      for (const name of database) await withPrivateDatabase(name, (url) => measure(name, url, kind, seconds));
    });
}

async function measure(database: string, databaseUrl: string, kinds: readonly Kind[], seconds: number): Promise<void> {
  const service = await LoadedService.start(databaseUrl);
  try {
    for (const kind of kinds)
      print(database, await overload(service, kind, seconds * 1_000, (line) => console.log(`  ${line}`)));
  } finally {
    await service.process.kill('SIGTERM');
  }
}

function print(database: string, { kind, peaks, overload: over, share }: OverloadReport): void {
  console.log(`${kind} on ${database}:`);
  for (const peak of peaks) console.log(`  peak      ${told(peak)}`);
  console.log(`  overload  ${told(over)}`);
  console.log(`  goodput   ${(share * 100).toFixed(1)} % of the peak`);
  if (share < LEAST_SHARE) process.exitCode = 1;
}

function told({ connections, goodPerSecond, rss, result }: Run): string {
  const ms = (times: number[], at: number): string => `${Math.round(quantile(times, at))} ms`;
  const { late, refused, bad, broken, goodTimes, refusedTimes, cpuShare } = result;
  return [
    `${connections} connections`,
    `${Math.round(goodPerSecond)} good a second (median ${ms(goodTimes, 0.5)}, 99 % ${ms(goodTimes, 0.99)})`,
    `${late} late`,
    `${refused} refused${refused === 0 ? '' : ` (99 % after ${ms(refusedTimes, 0.99)})`}`,
    `${bad} bad`,
    `${broken} broken`,
    `${Math.round(rss / 1024 / 1024)} MB`,
    `generator ${Math.round(cpuShare * 100)} % of a core`,
  ].join(', ');
}
