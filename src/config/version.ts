import { createRequire } from 'node:module';

/** Of the registry, as its package says it; by its name, because tools are compiled to a folder of their own. */
export const { version: VERSION } = createRequire(import.meta.url)('asset-registry/package.json') as {
  version: string;
};
