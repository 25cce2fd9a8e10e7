import type { LedgerStore } from './ledger-store.js';
import { findHeld } from './locked-rows.js';
import type { Operation } from './operation.js';
import type { Timing } from './timing.js';

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

  /** They were found held, perhaps again: then they are left alone for longer. */
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
