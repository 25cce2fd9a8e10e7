/*
 * The data source for TypeORM's own command line, made from the environment as the service's is:
 *   npm run typeorm -- migration:show
 * Operators need none of it: `registry migrate` brings the schema up to date.
 */
import 'reflect-metadata';
import type { DataSource } from 'typeorm';
import { loadConfig } from './src/platform/config/config.js';
import { createDataSource, databaseParts, dataSourceOptions } from './src/database/connections/data-sources.js';

export const dataSource = await reach(loadConfig().databaseUrl);

/** A source that was connected once: where that cannot be done, TypeORM's own words would be a stack. */
async function reach(databaseUrl: string): Promise<DataSource> {
  try {
    const source = createDataSource(await dataSourceOptions(databaseUrl, 'writer'));
    await source.initialize();
    await source.destroy();
    return source;
  } catch (error) {
    const refusal = databaseParts(databaseUrl).dialect.describeRefusal(error);
    console.error(`typeorm: ${refusal === undefined ? (error as Error).message : `DATABASE_URL: ${refusal}`}`);
    process.exit(1);
  }
}
