import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { clockBoundsIn, longestRestUs } from '../feed/clock/clock-fault.js';
import { operatorNow } from '../auth/operator.js';
import { writeAuditToSource } from '../database/copy/audit-command.js';
import { backUp, verifyBackup, noDigestMessage } from '../database/copy/backup.js';
import { restore } from '../database/copy/restore.js';
import { assertRegistryThere } from '../database/dialects/sqlite/registry-file.js';
import { readJournal } from '../assets/redaction/journal.js';
import { reapplyRedactionIn } from '../assets/redaction/redact.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import { showUnaudited } from './audit.command.js';
import { assertConfirmed } from './confirmation.js';
import { instantOf } from './instants.js';
import { progressBar } from './progress-bar.js';
import { configOfCommand, withNewFolder } from './with-registry.js';

export function addBackupCommands(program: Command): void {
  program
    .command('backup')
    .description('copy the database, as it is at this moment, into a new SQLite file; services may go on')
    .argument('<file>', 'must not be there yet')
    .option('--verify', 'check a backup that is there instead: that it is sound, and holds what was backed up')
    .action((file: string, { verify }: { verify?: true }) => (verify === true ? checkBackup(file) : makeBackup(file)));
  program
    .command('restore')
    .description('put a backup in the place of the database; its services have to be stopped')
    .argument('<file>', 'from "backup"')
    .option('--replace', 'throw away the accounts and assets that are there')
    .option('--yes <name>', 'the name of the database, for --replace where nobody can be asked')
    .option('--after <instant>', 'an instant that was given out before and may lie ahead of the clock (ISO 8601)')
    .option(
      '--redactions <file>',
      'erase again what "redactions" has listed into this file, where the database that is replaced is lost',
    )
    .action(restoreBackup);
}

const DAY_US = 86_400_000_000;
const NO_JOURNAL = `Nothing here tells of fields that were erased after the backup was made. Where some were, restore once more with
--replace --redactions FILE, before anybody is served; FILE is what "registry redactions" printed`;

async function makeBackup(file: string): Promise<void> {
  const { databaseUrl, timeZone } = configOfCommand();
  assertRegistryThere(databaseUrl);
  const operator = operatorNow();
  const { history, tables } = await backUp(databaseUrl, file, progressBar());
  const assets = tables.find(({ table }) => table === 'asset')?.rows ?? 0;
  console.log(`${file} holds ${assets} assets up to ${new RegistryTime(timeZone).print(history.lastUs)}`);
  console.log('Read again and compared: every row is the same');
  showUnaudited(await writeAuditToSource(databaseUrl, { ...operator, action: 'db.backup', detail: { file } }));
}

async function checkBackup(file: string): Promise<void> {
  const assets = await verifyBackup(file, progressBar());
  console.log(`${file} is sound, and holds what was backed up: ${assets} assets`);
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
  const mostUs = longestRestUs(clockBoundsIn(config));
  assertNear(afterUs - nowUs, mostUs);
  const redactions = options.redactions === undefined ? [] : readJournal(textOf(options.redactions), time);
  if (options.replace === true) await assertConfirmed(databaseUrl, options.yes);
  const floorUs = Math.max(afterUs, nowUs);
  const order = {
    replace: options.replace === true,
    floorUs,
    nowUs,
    maxJumpUs: mostUs,
    dayOf: (us: number) => time.day(us),
    redactions,
    reapplyRedaction: reapplyRedactionIn(time),
    operator: operatorNow(),
  };
  const restored = await withNewFolder(databaseUrl, () => restore(databaseUrl, file, order, progressBar()));
  const { lastUs, epoch, repeatedErasures, areErasuresKnown, hasDigest } = restored;
  if (!hasDigest) console.log(noDigestMessage(file));
  console.log(`The database is what ${file} holds. Instants go on after ${time.print(lastUs)}`);
  console.log(`The feed's epoch is ${epoch} from now on: mirrors copy everything again`);
  if (repeatedErasures > 0)
    console.log(`Erased again, as the backup still had it: ${repeatedErasures} (see "registry redactions")`);
  if (!areErasuresKnown) console.log(NO_JOURNAL);
}

/** @throws the system's error, which says of a folder not which one it is */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw Object.assign(error as Error, { path: file });
  }
}

/** With a mistyped year the feed would be ahead of the time for ever. @param aheadUs of the clock */
function assertNear(aheadUs: number, mostUs: number): void {
  if (aheadUs <= mostUs) return;
  const days = Math.floor(aheadUs / DAY_US);
  throw new Error(
    `--after is ${days} days ahead of the clock, and instants never go back behind it: where that is meant, say so with CLOCK_MAX_JUMP=${days + 1}d`,
  );
}
