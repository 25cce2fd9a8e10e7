import { auditIn, auditInSource, type Operator } from './audit-command.js';
import { ClockWitness } from '../entities/clock-witness.entity.js';
import { FeedBarrier } from '../entities/feed-barrier.entity.js';
import { LogHead } from '../entities/log-head.entity.js';
import { type History, readHistory, readWholeHistory } from '../repositories/feed-history.js';
import { CopiedDatabase } from './copied-database.js';
import { copyTables, emptyTables } from './copy-tables.js';
import { assertEqual, compareTables, type Comparison } from './digest.js';
import { faultOf } from './files.js';
import type { Progress } from './progress.js';
import { countRows } from './rows.js';
import type { CopiedTable } from './tables.js';

/** What may stand in a database that is empty: it was migrated, a service was started on it, and that is all. */
const SAYS_NOTHING = new Set<CopiedTable['entity']>([FeedBarrier, ClockWitness, LogHead]);

interface Moved {
  comparisons: Comparison[];
  /** Why the audit of the source has no row of the move; undefined where it has. */
  unaudited: string | undefined;
}

/**
 * Copies a database that nobody uses into an empty one, and compares them. What was broken off goes on where it was; until the end the
 * target is not served. It is the same history, so clock and epoch stay. The audits of both get a row, that of the source where it can be
 * written.
 * @throws Error when something has to be seen to first, or the copy is not the same
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
      if (isDone) return { comparisons, unaudited: undefined };
      const detail = { from: from.name, to: to.name };
      const audited = { ...operator, action: 'db.move', detail } as const;
      // First in the source: where the command is broken off here, the row is copied by the next run.
      const unaudited = await auditInSource(fromUrl, audited);
      await to.inTransaction(async () => {
        await auditIn(to, audited);
        await to.writeHistory(history);
      });
      return { comparisons, unaudited };
    } catch (error) {
      throw faultOf(to.name, error);
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

/** Compares two databases that nobody writes to, without the clocks. */
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
    await makeReady(to, target, history);
    await copyTables(from, to, progress);
  }
  const comparisons = await compareTables(from, to, progress);
  await assertUnmoved(from, history);
  if (comparisons.some(({ equal }) => !equal) && !isDone)
    await to.writeHistory({ ...target, copying: spoiled(history) });
  assertEqual(comparisons);
  return { comparisons, isDone };
}

/** Names a moment of a source: a move goes on only with what was copied of the same one. */
function mark({ epoch, lastUs }: History): string {
  return `move ${epoch} ${lastUs}`;
}

/** What is in the target is not what the source has: it is begun again. */
function spoiled({ epoch }: History): string {
  return `move ${epoch} spoiled`;
}

/** Marks a target as half a copy of this source; what is there of another moment of it is thrown away. */
async function makeReady(to: CopiedDatabase, target: History, history: History): Promise<void> {
  if (target.copying === mark(history)) return;
  if (target.copying === null) await assertEmpty(to, target);
  else if (!target.copying.startsWith(`move ${history.epoch} `))
    throw new Error(`${to.name} holds half of another restore or move: give the move an empty database`);
  await to.markHalf(target, spoiled(history));
  await emptyTables(to);
  await to.writeHistory({ ...target, copying: mark(history) });
}

async function assertEmpty(to: CopiedDatabase, { lastUs }: History): Promise<void> {
  const empty = 'give the move an empty database';
  if (lastUs > 0) throw new Error(`${to.name} has been in use: ${empty}`);
  for (const table of to.tables.filter(({ entity }) => !SAYS_NOTHING.has(entity))) {
    const rows = await countRows(to.session, table);
    if (rows > 0) throw new Error(`${to.name} holds data (${rows} rows in ${table.name}): ${empty}`);
  }
}

async function assertUnmoved(from: CopiedDatabase, before: History): Promise<void> {
  const { lastUs, epoch } = await readHistory(from.session);
  if (lastUs !== before.lastUs || epoch !== before.epoch)
    throw new Error(`${from.name} was written to meanwhile: stop the services of the registry and move again`);
}
