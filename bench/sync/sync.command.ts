import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import type { Command } from 'commander';
import { request } from 'undici';
import { removeFolder } from '../../scripts/machine/remove-folder.js';
import { wholeNumber } from '../../test/support/arguments.js';
import { ASSETS } from '../../test/support/assets.js';
import { ServiceProcess } from '../../test/support/process.js';
import { silent } from '../../test/support/silent-progress.js';
import { SyncProcess } from '../../test/support/sync-process.js';
import { DataSet } from '../data-set/data-set.js';
import { prepareRegistry } from '../data-set/write.js';
import { folderFor } from '../folder.js';
import { machine } from '../machine.js';
import { MemorySamples, pin, someOf } from './pinned.js';

/** The service's core and the runner's. */
const CORES = [2, 3] as const;
/** Of the data set, a twentieth are drafts. */
const LISTED = 0.95;
const SHOWN = 10;

interface Listed {
  data: { id: string; dateModified: string }[];
  next_page: { path: string };
}

interface Options {
  assets: number;
  oneByOne: number;
  keep?: string;
}

export function addSync(program: Command): void {
  program
    .command('sync')
    .description('how fast registry-sync copies a registry into SQLite, runner and service on one core each')
    .option('--assets <number>', 'listed', wholeNumber, 1_000_000)
    .option('--one-by-one <number>', 'assets that are listed and read one by one', wholeNumber, 20_000)
    .option('--keep <folder>', 'keeps the databases there for later runs')
    .action(measure);
}

async function measure({ assets, oneByOne, keep }: Options): Promise<void> {
  const folder = folderFor(keep);
  const databaseUrl = `sqlite:${join(folder, 'registry.sqlite')}`;
  await prepareRegistry(databaseUrl, new DataSet(Math.ceil(assets / LISTED)), silent);
  const service = await ServiceProcess.start({ DATABASE_URL: databaseUrl });
  pin(service.pid, CORES[0]);
  console.log(machine());
  const copy = (name: string): string => join(folder, `copy-${name}`);
  try {
    const pages = await timed(service, 'pages', copy('pages'), ['--no-snapshot']);
    await timed(service, 'snapshot', copy('snapshot'), []);
    const single = await copyOneByOne(service.url, oneByOne, copy('one-by-one'));
    console.log(`one by one: ${Math.round(single)} assets/s; by pages ${(pages / single).toFixed(1)} times as many`);
  } finally {
    await service.kill('SIGTERM');
  }
}

/** From the start of the runner's process to its end, indexes included. @returns assets a second */
async function timed(service: ServiceProcess, name: string, path: string, options: string[]): Promise<number> {
  removeCopy(path);
  const began = performance.now();
  const runner = SyncProcess.start([service.url, '--to', `sqlite:${path}`, '--json', ...options]);
  pin(runner.pid, CORES[1]);
  const memory = [new MemorySamples(service.pid), new MemorySamples(runner.pid)] as const;
  const { code, stdout, stderr } = await runner.end;
  const seconds = (performance.now() - began) / 1_000;
  if (code !== 0) throw new Error(stderr);
  const { assets } = JSON.parse(stdout) as { assets: number };
  console.log(`${name}: ${assets} assets in ${seconds.toFixed(1)} s, ${Math.round(assets / seconds)} assets/s`);
  for (const [who, samples] of [
    ['service', memory[0]],
    ['runner', memory[1]],
  ] as const)
    // prettier-ignore
    console.log(`  memory of the ${who}, MB: ${someOf(samples.end(), SHOWN).join(' ')}`);
  return assets / seconds;
}

/** As clients do that know no better: a page of ids, a request and a transaction for each. @returns assets a second */
async function copyOneByOne(url: string, count: number, path: string): Promise<number> {
  removeCopy(path);
  pin(process.pid, CORES[1]);
  const database = new Sqlite(path);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = NORMAL');
  database.exec(`CREATE TABLE asset (id TEXT PRIMARY KEY, date_modified TEXT, document TEXT);
    CREATE TABLE state (position TEXT); INSERT INTO state VALUES ('')`);
  const insert = database.prepare('REPLACE INTO asset VALUES (?, ?, ?)');
  const move = database.prepare('UPDATE state SET position = ?');
  const keep = database.transaction((id: string, dateModified: string, document: string) => {
    insert.run(id, dateModified, document);
    move.run(dateModified);
  });
  const began = performance.now();
  let read = 0;
  for (let next = `${ASSETS}?limit=1000`; read < count;) {
    const page = (await (await request(url + next)).body.json()) as Listed;
    if (page.data.length === 0) break;
    for (const { id, dateModified } of page.data) {
      const document = await (await request(`${url}${ASSETS}/${id}`)).body.text();
      keep(id, dateModified, document);
    }
    read += page.data.length;
    next = page.next_page.path;
  }
  database.close();
  return (read / (performance.now() - began)) * 1_000;
}

function removeCopy(path: string): void {
  for (const end of ['', '-wal', '-shm', '.lock']) removeFolder(path + end);
}
