import { setTimeout as sleep } from 'node:timers/promises';
import type { CopiedDatabase } from './copied-database.js';

const ATTEMPTS = 10;
const PAUSE_MS = 200;

/**
 * Does `work` in a transaction, and again in another one while a service holds what it needs.
 * @throws what `work` throws; nothing was changed then
 */
export async function retryTransaction<T>(database: CopiedDatabase, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await database.inTransaction(work);
    } catch (error) {
      if (attempt === ATTEMPTS || database.dialect.classifyFailure(error) !== 'retry') throw error;
      await sleep(PAUSE_MS);
    }
  }
}
