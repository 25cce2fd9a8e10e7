import { loadService } from './loaded-service.js';

/** Brings the empty database of a test to the newest schema. */
export async function migrate(databaseUrl: string): Promise<void> {
  const { copySchema } = await loadService();
  await copySchema(databaseUrl);
}
