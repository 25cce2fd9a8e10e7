import type { Database } from '../../database/database.js';
import { RetryableError } from './ledger-store.js';

/** Maps an error before COMMIT: nothing was written, so a retry is safe. `begin` finds out whether the database is still there. */
export function toLedgerError(error: unknown, database: Database): unknown {
  if (database.judgeWrite(error) === 'defect') return error;
  return new RetryableError('The database refused the batch', { cause: error });
}
