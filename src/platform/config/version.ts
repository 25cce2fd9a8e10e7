import { createRequire } from 'node:module';

/** The version in package.json, which is found by the package's name because tools are compiled to another folder. */
export const { version: VERSION } = createRequire(import.meta.url)('asset-registry/package.json') as {
  version: string;
};
