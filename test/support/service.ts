import { readFileSync } from 'node:fs';
import type { OpenAPIObject } from 'openapi3-ts/oas31';
import { createApp, type Registry } from '../../src/app.js';
import { loadConfig } from '../../src/platform/config/config.js';
import { DescribedAnswers } from './described-answers.js';

/*
 * The service, and what else takes long to load: loaded-service.ts lends it to the files.
 */

/** Puts the service together. @param env all of its configuration */
export function startRegistry(env: Record<string, string>): Promise<Registry> {
  return createApp(loadConfig(env));
}

/** The answers that the document in the repository describes. */
export const described = new DescribedAnswers(JSON.parse(readFileSync('openapi.json', 'utf8')) as OpenAPIObject);

export { createConnection } from 'mysql2/promise';
export { createDataSource, dataSourceOptions } from '../../src/database/connections/data-sources.js';
export { copySchema } from './copied-schema.js';
export { DescribedAnswers };
export { runCommandWith } from './run-command.js';
export { lookForStandstills, stoodStill } from './standstill-watch.js';
