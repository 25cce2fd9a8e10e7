import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { isBusy } from '../../src/database/dialects/error-code.js';
import { loadService } from './loaded-service.js';

const PATIENCE_MS = 170_000;
const AGAIN_MS = 5;

/** Opens a writer connection in addition to that of a registry in this process, for work within `onceFree`. */
export async function besideRegistry(databaseUrl: string): Promise<DataSource> {
  const { createDataSource, dataSourceOptions } = await loadService();
  const options = await dataSourceOptions(databaseUrl, 'writer');
  const database = createDataSource(options.type === 'better-sqlite3' ? { ...options, timeout: 0 } : options);
  await onceFree(() => database.initialize());
  return database;
}

/** Runs work on such a connection. */
export async function withDatabase<T>(databaseUrl: string, work: (database: DataSource) => Promise<T>): Promise<T> {
  const database = await besideRegistry(databaseUrl);
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
export async function onceFree<T>(work: () => Promise<T>): Promise<T> {
  for (const lateMs = performance.now() + PATIENCE_MS; ; await sleep(AGAIN_MS)) {
    try {
      return await work();
    } catch (error) {
      if (!isBusy(error) || performance.now() > lateMs) throw error;
    }
  }
}
