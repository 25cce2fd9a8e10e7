import { readFileSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { loadAssetTypes } from '../asset-types/packaged-types.js';
import { ImportCheck, type CheckResult, type ReportedLine } from '../assets/import/import-check.js';
import { ImportMap } from '../assets/import/import-map.js';
import { countLines, linesOf, STANDARD_INPUT } from '../assets/import/json-lines.js';
import { newestLinesOf, readRegistry } from '../assets/import/registry-source.js';
import { operatorNow } from '../auth/operator.js';
import { assertImportable, importAssets } from '../database/copy/import-assets.js';
import type { Progress } from '../database/copy/progress.js';
import { StagedAssets } from '../database/copy/staged-assets.js';
import { newId } from '../feed/asset-identifiers.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import { progressBar } from './progress-bar.js';
import { configOfCommand, withNewFolder } from './with-registry.js';

const MAX_SHOWN = 20;

interface ImportOptions {
  from?: string;
  map?: string;
  report?: string;
}

export function addImportCommand(program: Command): void {
  program
    .command('import')
    .description('import the assets of another registry into an empty one; stop its services first')
    .argument('<file>', 'JSON lines, one state of an asset each, plain or gzip; - for standard input')
    .option('--from <url>', 'read the assets of this registry into <file> first; a repeated command resumes')
    .option('--map <file>', 'fields and values to rename or omit')
    .option('--report <file>', 'write every fault and every changed date as JSON lines')
    .addHelpText(
      'after',
      '\nEverything is checked first: with a single fault nothing is imported. Ids, numbers, owners, states and dates are kept.' +
        '\nAn asset may have several lines, the oldest state first: the last one is the current one, the others are its history.' +
        '\nA map is {"fields": {"old.path": "new.path", "left.out": null}, "values": {"status": {"verification": "pending"}}}.' +
        '\nOwners get accounts, disabled until "registry key create" gives them a key; "registry token reissue" gives tokens.',
    )
    .action(runImport);
}

async function runImport(file: string, options: ImportOptions): Promise<void> {
  const { databaseUrl, timeZone, assetTypes } = configOfCommand();
  const map = options.map === undefined ? ImportMap.NONE : ImportMap.parse(readFileSync(options.map, 'utf8'));
  const types = await loadAssetTypes(assetTypes);
  const time = new RegistryTime(timeZone);
  const operator = operatorNow();
  const progress = progressBar();
  await withNewFolder(databaseUrl, () => assertImportable(databaseUrl));
  if (options.from !== undefined) await readInto(file, options.from, progress);
  const staged = await StagedAssets.create();
  try {
    progress.begin('check', await countLines(file));
    const lines = options.from === undefined ? linesOf(file) : newestLinesOf(file);
    const check = new ImportCheck({ types, time, map, nowUs: operator.us }, staged);
    const checked = await check.run(lines, (line) => progress.reach(line));
    progress.end();
    report(checked, options.report);
    const dayOf = (us: number): string => time.day(us);
    const importOptions = {
      source: options.from ?? file,
      numbers: checked.numbers,
      nowUs: operator.us,
      dayOf,
      newId,
      operator,
    };
    const { history, accounts } = await importAssets(databaseUrl, staged, importOptions, progress);
    const earlier = checked.earlierStates === 0 ? '' : ` with ${checked.earlierStates} earlier states`;
    console.log(`${checked.assets} assets were imported${earlier}. New instants follow ${time.print(history.lastUs)}`);
    console.log(`The feed's epoch is now ${history.epoch}: mirrors copy everything again`);
    if (accounts.length > 0)
      console.log(`Accounts created, disabled until "registry key create" gives them a key: ${accounts.join(', ')}`);
  } finally {
    await staged.remove();
  }
}

async function readInto(file: string, url: string, progress: Progress): Promise<void> {
  if (file === STANDARD_INPUT) throw new Error('--from reads into a file: name one instead of -');
  progress.begin('read', 0);
  await readRegistry(url, file, (assets) => progress.reach(assets));
  progress.end();
}

/** Prints and writes the result. @throws Error if there are faults */
function report({ assets, faults, adjusted, mapped }: CheckResult, file: string | undefined): void {
  if (file !== undefined)
    writeFileSync(file, [...faults, ...adjusted].map((line) => `${JSON.stringify(line)}\n`).join(''));
  for (const [path, times] of mapped) console.log(`--map: ${path} in ${times} assets`);
  if (faults.length === 0 && assets === 0) throw new Error('The file has no assets');
  if (faults.length > 0) {
    printLines(faults);
    throw new Error(`Nothing was imported: ${faults.length} faults${listedWhere(file)}`);
  }
  if (adjusted.length === 0) return;
  printLines(adjusted);
  console.log(`${adjusted.length} assets get another dateModified${listedWhere(file)}`);
}

function printLines(lines: readonly ReportedLine[]): void {
  for (const { line, id = '', name, description } of lines.slice(0, MAX_SHOWN))
    console.log(`line ${line}${id && ` (${id})`}: ${name}: ${description}`);
  if (lines.length > MAX_SHOWN) console.log(`and ${lines.length - MAX_SHOWN} more`);
}

function listedWhere(file: string | undefined): string {
  return file === undefined ? '; --report FILE writes all of them' : `; all of them are in ${file}`;
}
