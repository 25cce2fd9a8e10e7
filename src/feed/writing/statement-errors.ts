import type { Database } from '../../database/database.js';
import { RetryableError } from './ledger-store.js';

/** For errors before COMMIT: nothing was kept, so the work may be tried again. `begin` finds out whether the database is still there. */
export function toLedgerError(error: unknown, database: Database): unknown {
  if (database.judgeWrite(error) === 'defect') return error;
  return new RetryableError('The database did not take the batch', { cause: error });
}
