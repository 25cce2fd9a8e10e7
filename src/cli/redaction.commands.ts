import type { INestApplicationContext } from '@nestjs/common';
import type { Command } from 'commander';
import { getIdOfAsset } from '../feed/asset-identifiers.js';
import { operatorName } from '../auth/operator.js';
import { CONFIG } from '../platform/config/config.module.js';
import type { Config } from '../platform/config/config.js';
import { AuditReader } from '../database/readers/audit-reader.js';
import { CopiedDatabase } from '../database/copy/copied-database.js';
import { RedactionReader } from '../database/readers/redaction-reader.js';
import { printJournalLine } from '../assets/redaction/journal.js';
import { checkRequest, NothingToEraseError, redact, type RedactionRequest } from '../assets/redaction/redact.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import { assertClockTrusted } from './clock.commands.js';
import { assertConfirmed } from './confirmation.js';
import { withRegistry } from './with-registry.js';

interface Options {
  field: string[];
  reason: string;
  yes?: string;
}

const NOT_ERASED = `Not erased: copies that others have made (the feed informs mirrors), earlier backups (a restore erases the fields again
if it has the list of "registry redactions"), binary logs of a server, and old caches.`;

export function addRedactionCommands(program: Command): void {
  program
    .command('redact')
    .description('erase fields of an asset in all its states; services may keep running')
    .argument('<asset>', 'its id or assetID')
    .requiredOption(
      '--field <pointer>',
      'JSON pointer into the asset, such as /assetCustodian/contactPoint/telephone; * is any item of a list. Repeat it for each field',
      (pointer: string, before: string[] | undefined) => [...(before ?? []), pointer],
    )
    .requiredOption('--reason <text>', 'why; this text is public')
    .option('--yes <name>', 'name of the database: confirms without a terminal')
    .action(redactAsset);
  program
    .command('redactions')
    .description('all erasures, oldest first: one JSON object a line, as "restore --redactions" reads them')
    .action(listRedactions);
}

async function redactAsset(asset: string, { field: pointers, reason, yes }: Options): Promise<void> {
  checkRequest({ pointers, reason });
  await withRegistry(async (registry) => {
    const config = registry.get<Config>(CONFIG);
    await assertClockTrusted(registry);
    const id = await getIdOfAsset(asset, registry.get(AuditReader));
    const warning = `This erases ${pointers.join(', ')} of ${asset} for good, in`;
    await assertConfirmed(config.databaseUrl, yes, undefined, { question: warning, error: warning });
    const database = await CopiedDatabase.open(config.databaseUrl, 'write');
    try {
      console.log(await erase(registry, database, { asset: id, pointers, reason, actor: operatorName() }));
      warnOfRemains(database.file?.compact());
    } finally {
      await database.close();
    }
    console.log(NOT_ERASED);
  });
}

/**
 * Succeeds if the fields were erased before, so that a command interrupted after the commit can be repeated for the remaining steps.
 * @returns what was done, in sentences
 */
async function erase(
  registry: INestApplicationContext,
  database: CopiedDatabase,
  request: RedactionRequest,
): Promise<string> {
  const time = registry.get(RegistryTime);
  try {
    const { us, states, unreadable, elsewhere } = await redact(database, request, time);
    const lines = [
      `Erased in ${states} states of the asset. Its newest state, of ${time.print(us)}, lists the erasure`,
    ];
    if (unreadable > 0) lines.push(`${unreadable} states that did not match their checksums were emptied`);
    if (elsewhere.length > 0)
      lines.push('States of this asset still contain the same text, at:', ...elsewhere.map((at) => `  ${at}`));
    return lines.join('\n');
  } catch (error) {
    if (!(error instanceof NothingToEraseError && (await wasErased(registry, request)))) throw error;
    return `${error.message}, as it was erased before`;
  }
}

async function wasErased(
  registry: INestApplicationContext,
  { asset, pointers }: Pick<RedactionRequest, 'asset' | 'pointers'>,
): Promise<boolean> {
  const ofAsset = (await registry.get(RedactionReader).list()).filter((redaction) => redaction.asset === asset);
  const erased = new Set(ofAsset.flatMap((redaction) => JSON.parse(redaction.pointers) as string[]));
  return pointers.every((pointer) => erased.has(pointer));
}

function warnOfRemains(why: string | undefined): void {
  if (why === undefined) return;
  console.log(`The database's file may still contain the erased bytes, because it could not be rewritten (${why}).
Stop its service and run: sqlite3 <file> VACUUM`);
}

async function listRedactions(): Promise<void> {
  await withRegistry(async (registry) => {
    const time = registry.get(RegistryTime);
    for (const redaction of await registry.get(RedactionReader).list()) console.log(printJournalLine(redaction, time));
  });
}
