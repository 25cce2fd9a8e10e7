import { readFileSync } from 'node:fs';

interface Package {
  version: string;
}

/** Of the registry, as its package says it. */
export const VERSION = (JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as Package)
  .version;
