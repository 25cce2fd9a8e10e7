import { existsSync, realpathSync } from 'node:fs';
import { Command, InvalidArgumentError } from 'commander';
import { findProgram } from './machine/find-program.ts';
import {
  type BootstrapChoice,
  chooseBootstrap,
  type DataFolder,
  type Position,
  refusalOfNode,
  seqnoOf,
} from './galera/bootstrap-choice.ts';
import { markSafeToBootstrap, readDataFolder } from './galera/data-folder.ts';

interface Options {
  node?: string;
  clusterSize: number;
  defaultsFile: string[];
  mariadbd?: string;
}

const DESCRIPTION = [
  'After every node of a Galera cluster died: says which node holds the last commits, and lets it begin the new cluster.',
  'Run it with every node down, where all data folders are (to compare them, copies will do).',
].join('\n');
const OPTIONS_FILE =
  "the nodes' option file, needed unless the binary log and InnoDB's files are in the data folder; repeat it to give each folder its own";

await new Command('galera-bootstrap')
  .description(DESCRIPTION)
  .argument('<datadir...>', 'the data folder of every node of the cluster')
  .option('--node <datadir>', 'set safe_to_bootstrap: 1 in this folder, if no other is ahead of it')
  .option('--cluster-size <nodes>', 'how many nodes the cluster has', parseSize, 3)
  .option('--defaults-file <path>', OPTIONS_FILE, (path, before: string[]) => [...before, path], [])
  .option('--mariadbd <path>', 'the server to read the folders with; otherwise the installed one')
  .action(bootstrap)
  .parseAsync();

async function bootstrap(paths: string[], options: Options): Promise<void> {
  const server = options.mariadbd ?? findProgram('mariadbd');
  if (server === undefined) return refuse('No mariadbd was found: give its path with --mariadbd.');
  const folders: DataFolder[] = [];
  const files = options.defaultsFile;
  if (files.length > 1 && files.length !== paths.length)
    return refuse('Give one --defaults-file, or one for each folder.');
  for (const [index, path] of paths.entries()) {
    folders.push(await readDataFolder(path, { server, optionsFile: files[index] ?? files[0] }));
  }
  print(table(folders));
  const choice = chooseBootstrap(folders, options.clusterSize);
  if ('refusal' in choice) return refuse(choice.refusal);
  if (options.node === undefined) return print(advice(choice));
  const node = existsSync(options.node) ? realpathSync(options.node) : options.node;
  const refusal = refusalOfNode(choice, node);
  if (refusal !== undefined) return refuse(refusal);
  markSafeToBootstrap(node);
  print(`${node} may begin the new cluster: safe_to_bootstrap is 1 in its grastate.dat.`);
  print('Start it first, with galera_new_cluster (or mariadbd --wsrep-new-cluster), and then the others as usual.');
}

function advice({ candidates }: Exclude<BootstrapChoice, { refusal: string }>): string {
  const [first] = candidates as [DataFolder];
  const others = candidates.slice(1).map(({ path }) => path);
  const equal = others.length > 0 ? `\nAs good: ${others.join(', ')}` : '';
  return `Bootstrap ${first.path} (seqno ${seqnoOf(first)}).${equal}\nNo folder was marked yet: repeat with --node ${first.path}`;
}

function table(folders: DataFolder[]): string {
  const rows = folders.map(({ path, recovered, saved }) => [path, text(recovered), text(saved)]);
  const all = [['data folder', 'recovered from the tables', 'grastate.dat'], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...all.map((row) => String(row[column]).length)));
  return all.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')).join('\n');
}

function text(position: Position | undefined): string {
  return position === undefined ? '-' : `${position.uuid}:${position.seqno}`;
}

function parseSize(given: string): number {
  if (!/^[1-9]\d?$/.test(given)) throw new InvalidArgumentError('It is a number of nodes.');
  return Number(given);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function refuse(reason: string): void {
  process.stderr.write(`Refused, no folder was marked: ${reason}\n`);
  process.exitCode = 1;
}
