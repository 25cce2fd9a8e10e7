import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const BUILT = pathToFileURL(resolve('clients/typescript/dist/index.js')).href;

/**
 * Runs a program that imports the built client, as users do.
 * @param source TypeScript
 * @param words its arguments
 * @param options of Node.js
 * @returns the lines of its standard output
 * @throws Error if it writes to standard error, where Node.js warns of leaking event listeners
 */
export async function runWithClient(
  source: string,
  words: readonly string[] = [],
  options: readonly string[] = [],
): Promise<string[]> {
  const program = join(mkdtempSync(join(process.env.TEST_FOLDER as string, 'program-')), 'program.mjs');
  writeFileSync(program, stripTypeScriptTypes(source).replace("'asset-registry-client'", `'${BUILT}'`));
  const call = [...options, program, ...words];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, call, { env: {}, timeout: 170_000 });
  if (stderr !== '') throw new Error(stderr);
  return stdout.split('\n').slice(0, -1);
}
