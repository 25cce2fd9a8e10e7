import type { Database } from '../../database/database.js';
import { DeniedError, RetryableError } from './ledger-store.js';

/** For errors before COMMIT: nothing was kept, so the work may be tried again. `begin` finds out whether the database is still there. */
export function translate(error: unknown, database: Database): unknown {
  const failure = database.judgeWrite(error);
  if (failure === 'defect') return error;
  if (failure === 'denied') return new DeniedError('The database does not take this', { cause: error });
  return new RetryableError('The database did not take the batch', { cause: error });
}
