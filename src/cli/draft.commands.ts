import type { Command } from 'commander';
import { operatorName } from '../auth/operator.js';
import { CONFIG } from '../platform/config/config.module.js';
import type { Config } from '../platform/config/config.js';
import { CopiedDatabase } from '../database/copy/copied-database.js';
import { retryTransaction } from '../database/copy/retry-transaction.js';
import { bytesOfDrafts, lockOldDrafts, oldDraftIds, removeDrafts } from '../database/repositories/drafts.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import { assertClockTrusted } from './clock.commands.js';
import { assertConfirmed, databaseName } from './confirmation.js';
import { parseDuration, secondsPrinter } from './instants.js';
import { withRegistry } from './with-registry.js';

interface DraftCount {
  drafts: number;
  /** Size of the fields in all states of the drafts. */
  bytes: number;
}

export function addDraftCommands(program: Command): void {
  program
    .command('draft')
    .description('assets that were never published')
    .command('purge')
    .description('remove old drafts for good; services may keep running. Without --yes it only counts them')
    .requiredOption('--older-than <duration>', 'unchanged for this long: 90d, 12h, 30m', parseDuration)
    .option('--yes <name>', 'the name of the database')
    .action(purgeDrafts);
}

async function purgeDrafts({ olderThan, yes }: { olderThan: number; yes?: string }): Promise<void> {
  await withRegistry(async (registry) => {
    const { databaseUrl } = registry.get<Config>(CONFIG);
    await assertClockTrusted(registry);
    if (yes !== undefined) await assertConfirmed(databaseUrl, yes);
    const beforeUs = Date.now() * 1_000 - olderThan;
    const database = await CopiedDatabase.open(databaseUrl, 'write');
    try {
      const remove = yes === undefined ? undefined : (ids: readonly string[]) => purgeBatch(database, ids, beforeUs);
      const { drafts, bytes } = await countDrafts(database, beforeUs, remove);
      const since = secondsPrinter(registry.get(RegistryTime))(beforeUs);
      console.log(`Drafts that were never published, and not changed since ${since}: ${drafts}, with ${bytes} bytes`);
      console.log(
        yes === undefined ? `To remove them for good: --yes ${databaseName(databaseUrl)}` : 'They were removed',
      );
    } finally {
      await database.close();
    }
  });
}

/** Counts drafts in batches. @param remove removes a batch; by default drafts are only counted */
async function countDrafts(
  { session }: CopiedDatabase,
  beforeUs: number,
  remove = async (ids: readonly string[]): Promise<DraftCount> => ({
    drafts: ids.length,
    bytes: await bytesOfDrafts(session, ids),
  }),
): Promise<DraftCount> {
  const total = { drafts: 0, bytes: 0 };
  for await (const ids of oldDraftIds(session, beforeUs)) {
    const { drafts, bytes } = await remove(ids);
    total.drafts += drafts;
    total.bytes += bytes;
  }
  return total;
}

function purgeBatch(database: CopiedDatabase, ids: readonly string[], beforeUs: number): Promise<DraftCount> {
  const { session, dialect } = database;
  return retryTransaction(database, async () => {
    const drafts = await lockOldDrafts(session, dialect, ids, beforeUs);
    if (drafts.length === 0) return { drafts: 0, bytes: 0 };
    const bytes = await bytesOfDrafts(
      session,
      drafts.map(({ id }) => id),
    );
    await removeDrafts(session, drafts, { us: Date.now() * 1_000, actor: operatorName() });
    return { drafts: drafts.length, bytes };
  });
}
