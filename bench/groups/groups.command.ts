import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { shownProgress } from '../../src/commands/shown-progress.js';
import { decimal, wholeNumber } from '../../test/support/arguments.js';
import { ASSETS } from '../../test/support/assets.js';
import { sendTo } from '../../test/support/registry.js';
import { DataSet } from '../data-set/data-set.js';
import { prepareRegistry } from '../data-set/write.js';
import { type DatabaseName, DATABASES, openDatabases } from '../databases.js';
import type { Figures } from '../figures.js';
import { folderFor } from '../folder.js';
import { Generators } from '../load/generators.js';
import { loadAverage, machine } from '../machine.js';
import { type Bench, compare } from '../measure.js';
import { tableOf } from '../report/markdown.js';
import { startRegistry, type Target } from '../targets.js';

/** The largest group that there may be. */
const GROUP = 500;
const REST_MS = 50;

interface Options {
  database: DatabaseName[];
  size: number;
  rounds: number;
  seconds: number;
  connections: number;
  keep?: string;
}

export function addGroups(program: Command): void {
  program
    .command('groups')
    .description('what single changes wait for, alone and beside one who changes the largest groups all the time')
    .addOption(new Option('--database <name...>', 'may be repeated').choices(DATABASES).default([...DATABASES]))
    .option('--size <number>', 'assets', wholeNumber, 20_000)
    .option('--rounds <number>', 'measurements of each, in turn', wholeNumber, 3)
    .option('--seconds <number>', 'of each measurement', decimal, 15)
    .option('--connections <number>', 'that change single assets at the same time', wholeNumber, 8)
    .option('--keep <folder>', 'keeps the databases there for later runs')
    .action(measure);
}

async function measure({ database, ...options }: Options): Promise<void> {
  const folder = folderFor(options.keep);
  const lines: string[][] = [];
  console.log(`${machine()}, load average ${loadAverage()}`);
  for (const name of database) lines.push(...(await linesOf(name, folder, options)));
  const head = ['database', 'round', 'alone: /s', 'p99 ms', 'beside: /s', 'p99 ms', 'times alone', 'groups', 'failed'];
  console.log(`\n${tableOf(head, lines)}`);
}

async function linesOf(
  name: DatabaseName,
  folder: string,
  { size, rounds, seconds, connections }: Omit<Options, 'database'>,
): Promise<string[][]> {
  const databases = await openDatabases(name, folder);
  const generators = new Generators();
  try {
    const dataSet = new DataSet(size);
    const { registry } = await databases.urlsFor(size);
    await prepareRegistry(registry, dataSet, shownProgress());
    const target = await startRegistry(registry, size, { DEMO_KEYS: '1' });
    const settings = { rounds: 1, ms: seconds * 1_000, connections };
    const bench: Bench = { settings, databasePids: databases.pids, putLoad: generators.run, generators: 1 };
    const lines: string[][] = [];
    for (let round = 1; round <= rounds; round++) {
      const alone = await changes(bench, target);
      const groups = new GroupStream(target.url, dataSet.idsLeftAlone(GROUP));
      const beside = await changes(bench, target);
      lines.push([databases.origin, String(round), ...cellsOf(alone, beside, await groups.end())]);
    }
    await target.stop();
    return lines;
  } finally {
    generators.stop();
    await databases.stop();
  }
}

async function changes(bench: Bench, target: Target): Promise<Figures> {
  const { medians } = await compare(bench, [{ target, load: { mode: 'closed', kind: 'change' } }]);
  return medians[0] as Figures;
}

function cellsOf(alone: Figures, beside: Figures, groups: number): string[] {
  return [
    alone.perSecond.toFixed(0),
    alone.p99.toFixed(1),
    beside.perSecond.toFixed(0),
    beside.p99.toFixed(1),
    (beside.p99 / alone.p99).toFixed(2),
    String(groups),
    String(alone.failed + beside.failed),
  ];
}

/** Links the same assets as one again and again, each time to another lot, until it is told to end. */
class GroupStream {
  private isOver = false;
  private made = 0;
  private readonly done: Promise<void>;

  constructor(
    private readonly url: string,
    private readonly ids: readonly string[],
  ) {
    this.done = this.run();
  }

  /** @returns how many were made */
  async end(): Promise<number> {
    this.isOver = true;
    await this.done;
    return this.made;
  }

  private async run(): Promise<void> {
    for (let lot = Date.now(); !this.isOver; lot++) {
      const relatedLot = lot.toString(16).padStart(32, '0');
      const body = { data: this.ids.map((id) => ({ id, relatedLot })) };
      const { status, text } = await sendTo(this.url, ASSETS, { method: 'PATCH', key: 'concierge', body });
      if (status === 200) this.made += 1;
      else if (status === 503) await sleep(REST_MS);
      else throw new Error(`A group was answered ${status}: ${text.slice(0, 500)}`);
    }
  }
}
