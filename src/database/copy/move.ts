import { writeAudit, writeAuditToSource, type Operator } from './audit-command.js';
import { ClockWitness } from '../entities/clock-witness.entity.js';
import { FeedBarrier } from '../entities/feed-barrier.entity.js';
import { LogHead } from '../entities/log-head.entity.js';
import { type History, readHistory, readWholeHistory } from '../repositories/feed-history.js';
import { CopiedDatabase } from './copied-database.js';
import { copyTables, emptyTables } from './copy-tables.js';
import { assertEqual, compareTables, type Comparison } from './digest.js';
import { explainWriteError } from './files.js';
import type { Progress } from './progress.js';
import { countRows } from './rows.js';
import type { CopiedTable } from './tables.js';

/** Tables that may have rows in an empty database: migrations and a first start of a service write them. */
const IGNORED_TABLES = new Set<CopiedTable['entity']>([FeedBarrier, ClockWitness, LogHead]);

interface Moved {
  comparisons: Comparison[];
  /** Why the source's audit has no row for the move; undefined if it has one. */
  auditFailure: string | undefined;
}

/**
 * Copies a database that no service uses into an empty one, and compares them. An interrupted move continues; until the end services don't
 * serve the target. The history is the same, so clock and epoch stay. Both audits get a row, the source's only if it is writable.
 * @throws Error if a database is not ready for the move, or the copy differs
 */
export async function move(fromUrl: string, toUrl: string, progress: Progress, operator: Operator): Promise<Moved> {
  if (fromUrl === toUrl) throw new Error('Both are the same database');
  const from = await CopiedDatabase.open(fromUrl, 'read');
  try {
    await from.claim();
    await from.assertCurrent();
    const history = await readWholeHistory(from.session);
    const to = await CopiedDatabase.open(toUrl, 'write');
    try {
      await to.claim();
      await to.migrate();
      const { comparisons, isDone } = await moveInto(to, from, history, progress);
      if (isDone) return { comparisons, auditFailure: undefined };
      const detail = { from: from.name, to: to.name };
      const audited = { ...operator, action: 'db.move', detail } as const;
      // The source first: if the command is interrupted here, the next run copies the row.
      const auditFailure = await writeAuditToSource(fromUrl, audited);
      await to.inTransaction(async () => {
        await writeAudit(to, audited);
        await to.writeHistory(history);
      });
      return { comparisons, auditFailure };
    } catch (error) {
      throw explainWriteError(to.name, error);
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

/** Compares two databases, which must not be written to meanwhile, without their clocks. */
export async function compare(oneUrl: string, otherUrl: string, progress: Progress): Promise<Comparison[]> {
  const one = await CopiedDatabase.open(oneUrl, 'read');
  try {
    await one.assertCurrent();
    const other = await CopiedDatabase.open(otherUrl, 'read');
    try {
      await other.assertCurrent();
      return await compareTables(one, other, progress);
    } finally {
      await other.close();
    }
  } finally {
    await one.close();
  }
}

async function moveInto(
  to: CopiedDatabase,
  from: CopiedDatabase,
  history: History,
  progress: Progress,
): Promise<{ comparisons: Comparison[]; isDone: boolean }> {
  const target = await readHistory(to.session);
  const isDone = target.copying === null && target.epoch === history.epoch && target.lastUs === history.lastUs;
  if (!isDone) {
    await prepareTarget(to, target, history);
    await copyTables(from, to, progress);
  }
  const comparisons = await compareTables(from, to, progress);
  await assertUnchanged(from, history);
  if (comparisons.some(({ equal }) => !equal) && !isDone)
    await to.writeHistory({ ...target, copying: spoiledMarkOf(history) });
  assertEqual(comparisons);
  return { comparisons, isDone };
}

/** Identifies the source's state: an interrupted move continues only from the same one. */
function markOf({ epoch, lastUs }: History): string {
  return `move ${epoch} ${lastUs}`;
}

/** Marks a target that differs from the source: the move starts again. */
function spoiledMarkOf({ epoch }: History): string {
  return `move ${epoch} spoiled`;
}

/** Marks a target as an incomplete copy of this source; discards a copy of another state of the source. */
async function prepareTarget(to: CopiedDatabase, target: History, history: History): Promise<void> {
  if (target.copying === markOf(history)) return;
  if (target.copying === null) await assertEmpty(to, target);
  else if (!target.copying.startsWith(`move ${history.epoch} `))
    throw new Error(`${to.name} is incomplete after another restore or move: give the move an empty database`);
  await to.markIncomplete(target, spoiledMarkOf(history));
  await emptyTables(to);
  await to.writeHistory({ ...target, copying: markOf(history) });
}

async function assertEmpty(to: CopiedDatabase, { lastUs }: History): Promise<void> {
  const empty = 'give the move an empty database';
  if (lastUs > 0) throw new Error(`${to.name} has been in use: ${empty}`);
  for (const table of to.tables.filter(({ entity }) => !IGNORED_TABLES.has(entity))) {
    const rows = await countRows(to.session, table);
    if (rows > 0) throw new Error(`${to.name} contains data (${rows} rows in ${table.name}): ${empty}`);
  }
}

async function assertUnchanged(from: CopiedDatabase, before: History): Promise<void> {
  const { lastUs, epoch } = await readHistory(from.session);
  if (lastUs !== before.lastUs || epoch !== before.epoch)
    throw new Error(`${from.name} was written to meanwhile: stop the services of the registry and move again`);
}
