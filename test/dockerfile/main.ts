/*
 * npm run test:dockerfile: does the steps of the Dockerfile in order without Docker, with this machine's Node and compiler, and then
 * what Docker does with the image: its command as its user, its health check, its signal.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cleanUpAtExit } from '../support/clean-up-at-exit.ts';
import { findFreePort } from '../support/free-port.ts';
import { removeFolder } from '../support/remove-folder.ts';
import { Build } from './build.ts';
import { Container } from './container.ts';
import { readStages, type Stage, type Step } from './stages.ts';

/** compose.yaml's stop_grace_period: what does not end within it is killed. */
const GRACE_MS = 30_000;
const LEFT_BEHIND = ['src', 'node_modules/typescript', 'node_modules/jest', 'node_modules/undici', '.npmrc'];

function tell(text: string): void {
  process.stdout.write(`${text}\n`);
}

function tellStep(step: Step): void {
  if (step.does === 'COPY') tell(`COPY ${step.sources.join(' ')} ${step.target}`);
  else tell(step.does === 'RUN' ? `RUN ${step.command}` : `WORKDIR ${step.path}`);
}

function expectThat(holds: boolean, sentence: string): void {
  if (!holds) throw new Error(`Not so: ${sentence}`);
  tell(`ok    ${sentence}`);
}

async function makeAsset(url: string, key: string): Promise<number> {
  const body = readFileSync('src/asset-types/basic/basic.example.json');
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  return (await fetch(`${url}/api/0.1/assets`, { method: 'POST', headers, body })).status;
}

async function checkImage(image: Stage, directory: string): Promise<void> {
  for (const path of LEFT_BEHIND) expectThat(!existsSync(join(directory, path)), `the image is without ${path}`);
  // The image's own address and port may be in use here.
  const container = new Container(image, directory, { HOST: '127.0.0.1', PORT: String(await findFreePort()) });
  expectThat((await container.run(image.healthCheck)).code === 1, 'the health check fails where nothing listens');
  const { output } = await container.run([
    'node',
    'dist/cli.js',
    'key',
    'create',
    '--account',
    'a',
    '--role',
    'broker',
  ]);
  const { service, url } = await container.start();
  try {
    expectThat((await container.run(image.healthCheck)).code === 0, 'the health check passes');
    const status = await makeAsset(url, /ark_\S+/.exec(output)?.[0] ?? '');
    expectThat(status === 201, 'a key that the command line made creates an asset');
    const owner = process.getuid?.() === 0 ? image.user?.uid : process.getuid?.();
    expectThat(statSync(join(directory, 'data/registry.sqlite')).uid === owner, `the data is the user's, ${owner}`);
    await checkEnd(service, image.stopSignal as NodeJS.Signals);
  } finally {
    service.kill('SIGKILL');
  }
}

async function checkEnd(service: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const ended = once(service, 'exit');
  const late = setTimeout(() => service.kill('SIGKILL'), GRACE_MS);
  service.kill(signal);
  const [code] = (await ended) as [number | null];
  clearTimeout(late);
  expectThat(code === 0, `${signal} ends it with 0`);
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'registry-image-'));
  cleanUpAtExit(() => removeFolder(folder));
  // The image's user must find his way into it.
  chmodSync(folder, 0o755);
  const stages = readStages(readFileSync('Dockerfile', 'utf8'));
  const build = new Build(process.cwd(), folder);
  let directory = '';
  for (const stage of stages) {
    tell(`FROM ${stage.image}: ${process.version} of this machine`);
    directory = await build.run(stage, tellStep);
  }
  await checkImage(stages.at(-1) as Stage, directory);
}

try {
  await main();
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
