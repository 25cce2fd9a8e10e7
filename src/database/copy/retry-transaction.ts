import { setTimeout as sleep } from 'node:timers/promises';
import type { CopiedDatabase } from './copied-database.js';

const ATTEMPTS = 10;
const PAUSE_MS = 200;

/**
 * Runs `work` in a transaction, and retries while a service has locked what it needs.
 * @throws what `work` throws, without changes
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
