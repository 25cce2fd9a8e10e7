import { existsSync } from 'node:fs';
import { StartError } from '../errors/start-error.js';

const ENV_FILE = '.env';

/**
 * Adds the settings of `.env`, in the folder where the process was started, to the environment; where both have a setting, the environment wins.
 * With NODE_ENV in the environment the file is not read: in production and in tests no file that happens to stand there counts.
 * @throws StartError where the file cannot be read
 */
export function readEnvFile(): void {
  if (process.env['NODE_ENV'] || !existsSync(ENV_FILE)) return;
  try {
    process.loadEnvFile(ENV_FILE);
  } catch (error) {
    throw new StartError(`${ENV_FILE} cannot be read: ${(error as Error).message}`);
  }
}
