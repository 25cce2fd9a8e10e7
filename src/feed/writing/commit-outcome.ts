import type { Asset } from '../../database/entities/asset.entity.js';
import { DatabaseAwayError, type LedgerStore, RetryableError } from './ledger-store.js';
import type { Timing } from '../clock/wall-clock.js';

const RESOLVE_ATTEMPTS = 20;
const RESOLVE_PAUSE_MS = 250;

interface OutcomeContext {
  store: LedgerStore;
  timing: Pick<Timing, 'sleep'>;
}

/**
 * Finds out whether a batch whose COMMIT got no answer was committed.
 * @throws RetryableError if it was not, DatabaseAwayError if that cannot be known
 */
export async function resolveOutcome(stamped: readonly Asset[], context: OutcomeContext): Promise<void> {
  const rows = await readSettledWithRetries(stamped, context);
  if (stamped.some(({ id, modifiedUs }) => rows.get(id)?.modifiedUs === modifiedUs)) return;
  // A batch is atomic: one asset without its change proves that the batch was rolled back.
  if (stamped.some(({ id, version }) => (rows.get(id)?.version ?? 0) < version)) {
    throw new RetryableError('The transaction was rolled back');
  }
  // Others have changed every asset of the batch since, so the rows prove nothing.
  throw new DatabaseAwayError('The outcome of a commit cannot be known');
}

async function readSettledWithRetries(
  stamped: readonly Asset[],
  { store, timing }: OutcomeContext,
): Promise<Map<string, Asset>> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await readSettled(stamped, store);
    } catch (error) {
      if (attempt === RESOLVE_ATTEMPTS) throw error;
      await timing.sleep(RESOLVE_PAUSE_MS);
    }
  }
}

/**
 * Reads the batch's rows while locking the feed's clock. The lost transaction held that lock, so getting it proves that the transaction has
 * ended. The rows are not locked: other sessions may lock one for long, while all writers wait for the clock.
 */
async function readSettled(stamped: readonly Asset[], store: LedgerStore): Promise<Map<string, Asset>> {
  const transaction = await store.begin();
  try {
    await transaction.lockClock();
    return await transaction.readAssets(stamped.map(({ id }) => id));
  } finally {
    await transaction.rollback();
  }
}
