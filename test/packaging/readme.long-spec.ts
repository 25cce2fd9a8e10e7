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
 * Executes README.md and the pages that continue it, block by block, as ExecutedPage describes. In addition, `ini` configures
 * a private database server, and its administrator runs `sql` there. In later blocks `db.example:3306` is
 * that server, `...` stands for a password, and the public URL is unchanged. `npm ci` is skipped, and so is
 * text outside of blocks.
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
  if (binary === undefined) return console.warn('NOT TRIED: no database server installed for the production blocks');
  const file = page.path('../settings.cnf');
  writeFileSync(file, settings);
  server = await PrivateServer.start(binary, { settings: file });
}

async function query(statements: string): Promise<void> {
  if (server === undefined) return;
  const connection = await createConnection({ uri: server.url, multipleStatements: true });
  await connection.query(statements.replaceAll("'...'", `'${PASSWORD}'`));
  // The private server has a user of this name for 127.0.0.1, which would take precedence over the user created here.
  await connection.query('DROP USER registry@127.0.0.1');
  await connection.end();
}

async function inProduction(script: string): Promise<void> {
  if (server === undefined) return;
  const { host } = new URL(server.url);
  const output = await page.runScript(
    script.replace('npm ci && ', '').replace('registry:...@db.example:3306', `registry:${PASSWORD}@${host}`),
  );
  expect(output).toMatch(/Migrated[^]*Key \w{12} of acme[^]*\nark_\w+\n[^]*listening on/);
  const url = `http://127.0.0.1:${page.port}`;
  const ready = await readiness({ send: (path, options) => sendTo(url, path, options) });
  expect([ready.status, ready.json]).toEqual([200, expect.objectContaining({ status: 'ok' })]);
}

/** Compiler errors of programs that use the client, with the project's settings. */
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
