import { loadService } from './loaded-service.js';

/** Migrates a test's empty database to the newest schema. */
export async function migrate(databaseUrl: string): Promise<void> {
  const { copySchema } = await loadService();
  await copySchema(databaseUrl);
}
