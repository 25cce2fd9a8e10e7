import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createConnection } from 'mysql2/promise';
import ts from 'typescript';
import { findServerProgram } from '../../scripts/machine/server-program.js';
import { ExecutedPage } from '../support/executed-page.js';
import { readPage, type Step, titleOf } from '../support/page-blocks.js';
import { PrivateServer } from '../support/private-server.js';
import { readiness } from '../support/readiness.js';
import { sendTo } from '../support/registry.js';

/*
 * README.md and the pages that go on from it, done block by block: ExecutedPage says how blocks are understood. Besides, `ini` is all that
 * a database server of our own is told of durability, and `sql` is run there by its administrator. In what follows `db.example:3306` is
 * that server, `...` in the place of a password is one, and the public URL is left as it is. `npm ci` is not done here, nor is what a page
 * says without a block.
 */

const PASSWORD = 'for-this-test-only';
/** In this order, in one copy of the project: each goes on from what those before it have left. */
const PAGES = ['README.md', 'docs/keys.md', 'docs/production.md'].map((path) => ({
  path,
  steps: readPage(readFileSync(path, 'utf8')),
}));
const allSteps = PAGES.flatMap(({ steps }) => steps);
/** They are run by client-readme.e2e-spec.ts. */
const clientPrograms = [...readFileSync('clients/typescript/README.md', 'utf8').matchAll(/^```ts\n(.*?)^```$/gms)];

let page: ExecutedPage;
let server: PrivateServer | undefined;

beforeAll(async () => {
  page = await ExecutedPage.begin();
});
afterAll(async () => {
  await page?.end();
  await server?.stop();
});

async function configure(settings: string): Promise<void> {
  const binary = findServerProgram();
  if (binary === undefined) return console.warn('NOT TRIED: no server of the machine’s own for the production blocks');
  const file = page.path('../settings.cnf');
  writeFileSync(file, settings);
  server = await PrivateServer.start(binary, { settings: file });
}

async function query(statements: string): Promise<void> {
  if (server === undefined) return;
  const connection = await createConnection({ uri: server.url, multipleStatements: true });
  await connection.query(statements.replaceAll("'...'", `'${PASSWORD}'`));
  // Our own user of this name comes from 127.0.0.1 alone, and would be taken in the place of the one that was made here.
  await connection.query('DROP USER registry@127.0.0.1');
  await connection.end();
}

async function inProduction(script: string): Promise<void> {
  if (server === undefined) return;
  const { host } = new URL(server.url);
  const told = await page.runScript(
    script.replace('npm ci && ', '').replace('registry:...@db.example:3306', `registry:${PASSWORD}@${host}`),
  );
  expect(told).toMatch(/Migrated[^]*Key \w{12} of acme[^]*\nark_\w+\n[^]*listening on/);
  const url = `http://127.0.0.1:${page.port}`;
  const ready = await readiness({ send: (path, options) => sendTo(url, path, options) });
  expect([ready.status, ready.json]).toEqual([200, expect.objectContaining({ status: 'ok' })]);
}

/** What the compiler says against programs that use the client, as the project's own settings have it. */
function faultsOfTypes(programs: readonly string[]): string[] {
  const path = resolve('clients/typescript/src/example.ts');
  const { config } = ts.readConfigFile('tsconfig.json', (file) => ts.sys.readFile(file));
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, '.');
  const host = ts.createCompilerHost(options);
  const read = host.readFile.bind(host);
  return programs.flatMap((source) => {
    host.readFile = (file) => (file === path ? source : read(file));
    host.fileExists = (file) => file === path || ts.sys.fileExists(file);
    const program = ts.createProgram([path], { ...options, types: ['node'] }, host);
    return ts
      .getPreEmitDiagnostics(program)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
  });
}

function perform(step: Step): Promise<void> {
  if (step.does === 'configure') return configure(step.text);
  if (step.does === 'query') return query(step.text);
  if (step.does === 'script' && step.text.includes('db.example')) return inProduction(step.text);
  return page.do(step);
}

describe('README and the pages that go on from it', () => {
  it('have blocks of every kind', () => {
    const kinds = new Set(allSteps.map(({ does }) => does));
    expect(kinds).toEqual(new Set(['run', 'script', 'program', 'configure', 'query']));
  });

  it('have programs that are sound TypeScript', () => {
    const programs = allSteps.flatMap((step) => (step.does === 'program' ? [step.text] : []));
    expect(faultsOfTypes([...programs, ...clientPrograms.map(([, text]) => text as string)])).toEqual([]);
  });
});

describe.each(PAGES)('$path', ({ steps }) => {
  // One after the other: each goes on from what those before it have left.
  it.each(steps.map((step) => [titleOf(step), step] as const))('%s', (_, step) => perform(step));
});
