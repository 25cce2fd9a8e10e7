import { readFileSync } from 'node:fs';

interface Package {
  version: string;
}

/** This program's version. */
export const VERSION = (JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as Package)
  .version;
