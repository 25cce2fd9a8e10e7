import type { LedgerStore, LedgerTransaction } from './ledger-store.js';
import type { Operation } from './operation.js';
import type { Timing } from '../../clock/wall-clock.js';
import type { Asset } from '../../database/entities/asset.entity.js';
import type { PendingOperation } from './pending-operation.js';

/*
 * Assets that another transaction holds: rows are locked without waiting for theirs, and what wants one of them waits outside of the batches.
 */

/** Mostly another process has it for as long as a batch takes. */
const FIRST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 100;
/** Longer than any request waits: who found one held then has its answer, and perhaps nobody else wants it. */
const KNOWN_MS = 10_000;

/**
 * The assets that another transaction was found to hold: that of another process for a moment, an operator's perhaps for long. What wants
 * one of them stays in the queue and takes no room in a batch, and the lane asks for these assets again now and then.
 */
export class HeldAssets {
  private readonly asked = new Map<string, { sinceMs: number; dueMs: number; pauseMs: number }>();

  constructor(private readonly timing: Pick<Timing, 'nowMs' | 'random'>) {}

  get isEmpty(): boolean {
    return this.asked.size === 0;
  }

  /** When the next of them is to be asked for; Infinity where there is none. */
  get dueMs(): number {
    let leastMs = Infinity;
    for (const { dueMs } of this.asked.values()) leastMs = Math.min(leastMs, dueMs);
    return leastMs;
  }

  /** Whether an operation has to wait. */
  holdUp({ ids }: Operation): boolean {
    return !this.isEmpty && ids.some((id) => this.asked.has(id));
  }

  /** Notes that assets were found locked by somebody else; those that were so before are left alone for longer. */
  note(ids: Iterable<string>): void {
    const nowMs = this.timing.nowMs();
    for (const id of ids) {
      const known = this.asked.get(id);
      const pauseMs = Math.min(2 * (known?.pauseMs ?? FIRST_PAUSE_MS / 2), LONGEST_PAUSE_MS);
      // Not in step with the batches of the other.
      const dueMs = nowMs + ((1 + this.timing.random()) / 2) * pauseMs;
      this.asked.set(id, { sinceMs: known?.sinceMs ?? nowMs, dueMs, pauseMs });
    }
  }

  /**
   * Asks for those that are due, without waiting, and with them for those that are soon: however many are held, it asks seldom. Where the
   * database does not tell, they pass for free: a batch finds out why.
   */
  async ask(store: LedgerStore): Promise<void> {
    const nowMs = this.timing.nowMs();
    if (!store.isAway && nowMs < this.dueMs) return;
    const due = [...this.asked].filter(([, { dueMs, pauseMs }]) => store.isAway || dueMs <= nowMs + pauseMs / 2);
    const wanted = due.flatMap(([id, { sinceMs }]) => (store.isAway || nowMs - sinceMs > KNOWN_MS ? [] : [id]));
    const held = wanted.length === 0 ? [] : await stillHeld(wanted.toSorted(), store).catch(() => []);
    const heldIds = new Set(held);
    for (const [id] of due) if (!heldIds.has(id)) this.asked.delete(id);
    this.note(held);
  }

  /** Nobody wants any of them now. */
  forget(): void {
    this.asked.clear();
  }
}

async function stillHeld(ids: readonly string[], store: LedgerStore): Promise<string[]> {
  const transaction = await store.begin();
  try {
    return await findHeld(ids, transaction);
  } finally {
    await transaction.rollback();
  }
}

/** The rows that a transaction has locked, and the ids of those that are there and another holds. */
interface LockedRows {
  rows: Map<string, Asset>;
  held: ReadonlySet<string>;
}

/**
 * Locks the rows of operations. Nobody waits for a row that another transaction holds: it may be held for long, and all others of the batch
 * would wait as well. Waited for is a row that an earlier attempt may have made: nobody else asks for it.
 * @param mayWait whether those are waited for, too, that were held up before: they have been free since, so whoever has one now has it
 * for a moment. To find all of a group free would be luck, where another process changes them again and again
 */
export async function lockWanted(
  batch: readonly PendingOperation[],
  transaction: LedgerTransaction,
  mayWait: boolean,
): Promise<LockedRows> {
  const isWaitedFor = ({ operation, wasHeldUp }: PendingOperation): boolean =>
    operation.creates || (mayWait && wasHeldUp);
  // Every transaction waits for rows in the order of their ids, and before it has others: no two can wait for each other.
  const rows = await lockRows(batch.filter(isWaitedFor), (ids) => transaction.lockAssets(ids));
  const others = batch.filter((pending) => !isWaitedFor(pending));
  for (const [id, row] of await lockRows(others, (ids) => transaction.lockFreeAssets(ids))) rows.set(id, row);
  const missing = others.flatMap(({ operation }) => operation.ids).filter((id) => !rows.has(id));
  return { rows, held: new Set(await heldOf(missing, transaction)) };
}

/** Which assets are still held; the others are locked, or are not there. However many they are, none is read. @param ids sorted */
async function findHeld(ids: readonly string[], transaction: LedgerTransaction): Promise<string[]> {
  const free = new Set(await transaction.lockFreeIds(ids));
  return heldOf(
    ids.filter((id) => !free.has(id)),
    transaction,
  );
}

/** A row that could not be locked at once is held, unless there is none. */
async function heldOf(missing: readonly string[], transaction: LedgerTransaction): Promise<string[]> {
  return missing.length === 0 ? [] : transaction.findAssets(missing);
}

/** Locks the rows of operations that may have any, in the order of their ids. */
export async function lockRows(
  batch: readonly PendingOperation[],
  lock: (ids: readonly string[]) => Promise<Map<string, Asset>>,
): Promise<Map<string, Asset>> {
  const ids = batch.filter(mayBeThere).flatMap(({ operation }) => operation.ids);
  return ids.length === 0 ? new Map<string, Asset>() : lock(ids.toSorted());
}

export function mayBeThere({ operation, attempt }: PendingOperation): boolean {
  return !operation.creates || attempt !== undefined;
}
