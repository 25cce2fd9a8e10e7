import { readFileSync } from 'node:fs';
import type { OpenAPIObject } from 'openapi3-ts/oas31';
import { createApp, type Registry } from '../../src/app.js';
import { loadConfig } from '../../src/platform/config/config.js';
import { AnswerValidator } from './answer-validator.js';

/*
 * The service and other modules that are slow to load; loaded-service.ts shares them between test files.
 */

/** Assembles the service. @param env its whole configuration */
export function startRegistry(env: Record<string, string>): Promise<Registry> {
  return createApp(loadConfig(env));
}

/** Validates answers against the document in the repository. */
export const answerValidator = new AnswerValidator(JSON.parse(readFileSync('openapi.json', 'utf8')) as OpenAPIObject);

export { createConnection } from 'mysql2/promise';
export { createDataSource, dataSourceOptions } from '../../src/database/connections/data-sources.js';
export { copySchema } from './copied-schema.js';
export { AnswerValidator };
export { runCommandWith } from './run-command.js';
export { watchForStalls, stalledSince } from './server-stall-watch.js';
