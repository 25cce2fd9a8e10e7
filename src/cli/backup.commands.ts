import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { clockBoundsIn, maxPauseUs } from '../feed/clock/clock-fault.js';
import { operatorNow } from '../auth/operator.js';
import { writeAuditToSource } from '../database/copy/audit-command.js';
import { backUp, verifyBackup, noDigestMessage } from '../database/copy/backup.js';
import { restore } from '../database/copy/restore.js';
import { assertRegistryThere } from '../database/dialects/sqlite/registry-file.js';
import { parseJournal } from '../assets/redaction/journal.js';
import { reapplyRedactionIn } from '../assets/redaction/redact.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import { reportUnaudited } from './audit.command.js';
import { assertConfirmed } from './confirmation.js';
import { instantOf } from './instants.js';
import { progressBar } from './progress-bar.js';
import { configOfCommand, withNewFolder } from './with-registry.js';

export function addBackupCommands(program: Command): void {
  program
    .command('backup')
    .description('copy the current state of the database into a new SQLite file; services may keep running')
    .argument('<file>', 'must not exist')
    .option('--verify', 'instead check an existing backup: its structure, and its contents against its digest')
    .action((file: string, { verify }: { verify?: true }) => (verify === true ? checkBackup(file) : makeBackup(file)));
  program
    .command('restore')
    .description('replace the database by a backup; stop its services first')
    .argument('<file>', 'from "backup"')
    .option('--replace', 'discard the accounts and assets that the database has')
    .option('--yes <name>', 'name of the database: confirms --replace without a terminal')
    .option(
      '--after <instant>',
      'continue after this instant, which an earlier service issued and which may be ahead of the clock (ISO 8601)',
    )
    .option(
      '--redactions <file>',
      'repeat the erasures in this file, which "redactions" printed; for when the replaced database is lost',
    )
    .action(restoreBackup);
}

const DAY_US = 86_400_000_000;
const NO_JOURNAL = `There was no list of fields that were erased after the backup was made. If there were any, restore again with
--replace --redactions FILE before you start a service; FILE is the output of "registry redactions"`;

async function makeBackup(file: string): Promise<void> {
  const { databaseUrl, timeZone } = configOfCommand();
  assertRegistryThere(databaseUrl);
  const operator = operatorNow();
  const { history, tables } = await backUp(databaseUrl, file, progressBar());
  const assets = tables.find(({ table }) => table === 'asset')?.rows ?? 0;
  console.log(`${file} holds ${assets} assets up to ${new RegistryTime(timeZone).print(history.lastUs)}`);
  console.log('Read again and compared: every row is the same');
  reportUnaudited(await writeAuditToSource(databaseUrl, { ...operator, action: 'db.backup', detail: { file } }));
}

async function checkBackup(file: string): Promise<void> {
  const assets = await verifyBackup(file, progressBar());
  console.log(`${file} is intact, and its contents match its digest: ${assets} assets`);
}

interface RestoreOptions {
  replace?: true;
  yes?: string;
  after?: string;
  redactions?: string;
}

async function restoreBackup(file: string, options: RestoreOptions): Promise<void> {
  const config = configOfCommand();
  const { databaseUrl, timeZone } = config;
  const time = new RegistryTime(timeZone);
  const afterUs = instantOf('--after', options.after, time) ?? 0;
  const nowUs = Date.now() * 1_000;
  const maxAheadUs = maxPauseUs(clockBoundsIn(config));
  assertNotTooFarAhead(afterUs - nowUs, maxAheadUs);
  const redactions = options.redactions === undefined ? [] : parseJournal(textOf(options.redactions), time);
  if (options.replace === true) await assertConfirmed(databaseUrl, options.yes);
  const floorUs = Math.max(afterUs, nowUs);
  const restoreOptions = {
    replace: options.replace === true,
    floorUs,
    nowUs,
    maxJumpUs: maxAheadUs,
    dayOf: (us: number) => time.day(us),
    redactions,
    reapplyRedaction: reapplyRedactionIn(time),
    operator: operatorNow(),
  };
  const restored = await withNewFolder(databaseUrl, () => restore(databaseUrl, file, restoreOptions, progressBar()));
  const { lastUs, epoch, repeatedErasures, areErasuresKnown, hasDigest } = restored;
  if (!hasDigest) console.log(noDigestMessage(file));
  console.log(`The database was restored from ${file}. New instants follow ${time.print(lastUs)}`);
  console.log(`The feed's epoch is now ${epoch}: mirrors copy everything again`);
  if (repeatedErasures > 0)
    console.log(
      `Erasures repeated, because the backup still had the fields: ${repeatedErasures} (see "registry redactions")`,
    );
  if (!areErasuresKnown) console.log(NO_JOURNAL);
}

/** @throws the system's error, with the path that node omits for a folder */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw Object.assign(error as Error, { path: file });
  }
}

/** Because a mistyped year would keep the feed ahead of the time forever. @param aheadUs how far `--after` is ahead of the clock */
function assertNotTooFarAhead(aheadUs: number, maxAheadUs: number): void {
  if (aheadUs <= maxAheadUs) return;
  const days = Math.floor(aheadUs / DAY_US);
  throw new Error(
    `--after is ${days} days ahead of the clock, and later instants never go back behind it. If that is intended, set CLOCK_MAX_JUMP=${days + 1}d`,
  );
}
