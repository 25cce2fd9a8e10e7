import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { killChild } from './support/child-process.js';
import { findFreePort } from './support/free-port.js';
import { ProjectCopy } from './support/project-copy.js';
import { isAsTold, readTutorial } from './support/tutorial.js';

/*
 * docs/asset-types.md, done as a reader would do it, in a copy of the project. How its blocks are understood:
 *
 * - `console`: what follows `$` is run by a shell in the project's folder, and must end with 0. Where lines stand below it, they are what it
 *   writes to standard output; `...` stands for lines or for a part of one, and ids, tokens and times may be others.
 * - `npm start`, perhaps with variables before it, ends the service that runs, and goes on when the new one says that it listens.
 * - `ID` and `TOKEN` in a command are those of the asset that was created last, and 127.0.0.1:8080 is where the service listens.
 * - Any other block is a file; the paragraph before it ends with its path: "... in `path`:".
 */

const PAGE = 'docs/asset-types.md';
const ADDRESS = '127.0.0.1:8080';
const START = /^((?:\w+=\S+ )*)npm start$/;

const steps = readTutorial(readFileSync(PAGE, 'utf8'));

let copy: ProjectCopy;
let port: number;
let service: ChildProcess | undefined;
let created = { id: '', token: '' };

beforeAll(async () => {
  copy = new ProjectCopy();
  port = await findFreePort();
}, 60_000);
afterAll(async () => {
  await stop();
  copy?.remove();
});

async function stop(): Promise<void> {
  if (service?.pid === undefined) return;
  const ended = new Promise((resolve) => service?.once('close', resolve));
  // As Ctrl+C does it: npm, the shell below it and the service all get the signal.
  process.kill(-service.pid, 'SIGINT');
  await ended;
  service = undefined;
}

async function start(command: string): Promise<string> {
  await stop();
  const env = { ...copy.environment, PORT: String(port), LOG_LEVEL: 'warn' };
  const child = spawn('/bin/sh', ['-c', command], { cwd: copy.folder, env, detached: true });
  service = child;
  let output = '';
  return new Promise((resolve, reject) => {
    const late = setTimeout(killChild, 60_000, child);
    child.once('close', (code) => reject(new Error(`npm start ended with ${code}: ${output}`)));
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (bytes: Buffer) => {
        output += bytes.toString();
        if (!output.includes('listening on')) return;
        clearTimeout(late);
        resolve(output);
      });
    }
  });
}

async function run(command: string): Promise<string> {
  const line = command
    .replaceAll(ADDRESS, `127.0.0.1:${port}`)
    .replaceAll(/\bID\b/g, created.id)
    .replaceAll(/\bTOKEN\b/g, created.token);
  const output = (await copy.succeed(line)).replaceAll(`127.0.0.1:${port}`, ADDRESS);
  const [token, id] = ['token', 'id'].map((name) => new RegExp(`"${name}": ?"([0-9a-f]{32})"`).exec(output)?.[1]);
  if (token !== undefined && id !== undefined) created = { id, token };
  return output;
}

describe(PAGE, () => {
  it('has files and commands', () => {
    expect(new Set(steps.map(({ does }) => does))).toEqual(new Set(['write', 'run']));
    expect(steps.filter((step) => step.does === 'run' && START.test(step.command)).length).toBeGreaterThan(1);
  });

  // One after the other: each goes on from what those before it have left.
  it.each(
    steps.map((step) => [`line ${step.line}: ${step.does === 'write' ? step.path : step.command}`, step] as const),
  )(
    '%s',
    async (_, step) => {
      if (step.does === 'write') return copy.write(step.path, step.text);
      if (START.test(step.command)) return void (await start(step.command));
      const output = await run(step.command);
      if (step.told !== '' && !isAsTold(output, step.told)) expect(output).toBe(step.told);
    },
    120_000,
  );
});
