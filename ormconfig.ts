/*
 * The data source for TypeORM's own command line, made from the environment as the service's is:
 *   npm run typeorm -- migration:show
 * Operators need none of it: `registry migrate` brings the schema up to date.
 */
import 'reflect-metadata';
import { loadConfig } from './src/config/config.js';
import { createDataSource, dataSourceOptions } from './src/database/data-sources.js';

export const dataSource = createDataSource(await dataSourceOptions(loadConfig().databaseUrl, 'writer'));
