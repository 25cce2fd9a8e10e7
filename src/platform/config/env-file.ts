import { existsSync } from 'node:fs';
import { StartError } from '../errors/start-error.js';

const ENV_FILE = '.env';

/**
 * Adds the settings of `.env` in the working directory to the environment, which takes precedence. With NODE_ENV in the environment the file is
 * not read, so that a stray file has no effect in production and in tests.
 * @throws StartError if the file cannot be read
 */
export function readEnvFile(): void {
  if (process.env['NODE_ENV'] || !existsSync(ENV_FILE)) return;
  try {
    process.loadEnvFile(ENV_FILE);
  } catch (error) {
    throw new StartError(`${ENV_FILE} cannot be read: ${(error as Error).message}`);
  }
}
