import { readFileSync } from 'node:fs';

interface Package {
  version: string;
}

/** Of this program. */
export const VERSION = (JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as Package)
  .version;
