import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { isBusy } from '../../src/database/dialects/error-code.js';
import { loadService } from './loaded-service.js';

const TIMEOUT_MS = 170_000;
const RETRY_PAUSE_MS = 5;

/** Opens a writer connection in addition to that of a registry in this process, for work within `retryWhileLocked`. */
export async function openWriter(databaseUrl: string): Promise<DataSource> {
  const { createDataSource, dataSourceOptions } = await loadService();
  const options = await dataSourceOptions(databaseUrl, 'writer');
  const database = createDataSource(options.type === 'better-sqlite3' ? { ...options, timeout: 0 } : options);
  await retryWhileLocked(() => database.initialize());
  return database;
}

/** Runs work on such a connection. */
export async function withDatabase<T>(databaseUrl: string, work: (database: DataSource) => Promise<T>): Promise<T> {
  const database = await openWriter(databaseUrl);
  try {
    return await work(database);
  } finally {
    await database.destroy();
  }
}

/**
 * Retries while a transaction of the registry has the SQLite file locked. SQLite's own busy timeout would block the event loop, on which the
 * registry in this process must end that transaction.
 */
export async function retryWhileLocked<T>(work: () => Promise<T>): Promise<T> {
  for (const deadlineMs = performance.now() + TIMEOUT_MS; ; await sleep(RETRY_PAUSE_MS)) {
    try {
      return await work();
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadlineMs) throw error;
    }
  }
}
