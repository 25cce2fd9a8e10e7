import { existsSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { transformSync } from '@swc/core';
import { SWC_OPTIONS } from './swc-options.js';

/*
 * Lets Node itself import the TypeScript sources, decorators included, outside of Jest's module registry, which reloads them for each file.
 */

const TLOG_NAMES = ['asset-registry-tlog', '#tlog'];
/** The source, as in Jest, instead of the build. */
const TLOG = new URL('../../clients/tlog/src/index.ts', import.meta.url).href;
const isSource = (url) => url?.endsWith('.ts') && !url.includes('/node_modules/');

registerHooks({
  /** Sources import each other by the suffix of the compiled file. */
  resolve(specifier, context, next) {
    if (TLOG_NAMES.includes(specifier)) return next(TLOG, context);
    if (isSource(context.parentURL) && /^\.{1,2}\/.*\.js$/.test(specifier)) {
      const source = new URL(specifier.replace(/js$/, 'ts'), context.parentURL);
      if (existsSync(source)) return next(source.href, context);
    }
    return next(specifier, context);
  },
  load(url, context, next) {
    if (!isSource(url)) return next(url, context);
    const filename = fileURLToPath(url);
    const options = { ...SWC_OPTIONS, module: { type: 'es6' }, filename };
    const { code } = transformSync(readFileSync(filename, 'utf8'), options);
    return { format: 'module', source: code, shortCircuit: true };
  },
});
