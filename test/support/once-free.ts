import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { isBusy } from '../../src/database/dialects/error-code.js';
import { loadService } from './loaded-service.js';

const PATIENCE_MS = 170_000;
const AGAIN_MS = 5;

/** A connected writer beside a registry of this process, for work that `onceFree` does. */
export async function besideRegistry(databaseUrl: string): Promise<DataSource> {
  const { createDataSource, dataSourceOptions } = await loadService();
  const options = await dataSourceOptions(databaseUrl, 'writer');
  const database = createDataSource(options.type === 'better-sqlite3' ? { ...options, timeout: 0 } : options);
  await onceFree(() => database.initialize());
  return database;
}

/** Does some work with such a connection. */
export async function withDatabase<T>(databaseUrl: string, work: (database: DataSource) => Promise<T>): Promise<T> {
  const database = await besideRegistry(databaseUrl);
  try {
    return await work(database);
  } finally {
    await database.destroy();
  }
}

/**
 * Does it again while a transaction of the registry has the file. SQLite itself would wait in the turn of the event loop that the
 * registry of this process needs to end its transaction.
 */
export async function onceFree<T>(work: () => Promise<T>): Promise<T> {
  for (const lateMs = performance.now() + PATIENCE_MS; ; await sleep(AGAIN_MS)) {
    try {
      return await work();
    } catch (error) {
      if (!isBusy(error) || performance.now() > lateMs) throw error;
    }
  }
}
