import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { createConnection } from 'mysql2/promise';
import { cleanUpAtExit } from '../../scripts/machine/clean-up-at-exit.js';
import { takeServerProgram } from '../../scripts/machine/server-program.js';
import { removeFolder } from '../../scripts/machine/remove-folder.js';
import { wholeNumber } from '../support/arguments.js';
import { ASSETS, assetBody } from '../support/assets.js';
import { addAssets } from '../support/many-assets.js';
import { startPrivateServer } from '../support/private-server.js';
import { ServiceProcess } from '../support/process.js';
import { basic } from '../support/registry.js';

const POLL_MS = 50;

/** How long backup, restore and move take, and how much memory. */
export function addBackup(program: Command): void {
  program
    .command('backup')
    .description('backup, restore and move on SQLite and a private MariaDB: time and memory')
    .option('--assets <number>', 'in the database', wholeNumber, 1_000_000)
    .action(({ assets }: { assets: number }) => measureAll(assets));
}

async function measureAll(assets: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'registry-reliability-'));
  cleanUpAtExit(() => removeFolder(folder));
  const server = await startPrivateServer(await takeServerProgram());
  try {
    await measure(assets, folder, await createDatabases(server.url));
  } finally {
    await server.stop();
  }
}

/** @returns URLs of two empty ones */
async function createDatabases(serverUrl: string): Promise<[string, string]> {
  const connection = await createConnection(serverUrl);
  const urls = [];
  for (const name of ['moved', 'restored']) {
    await connection.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4`);
    const url = new URL(serverUrl);
    url.pathname = name;
    urls.push(url.href);
  }
  await connection.end();
  return urls as [string, string];
}

async function measure(assets: number, folder: string, [moved, restored]: [string, string]): Promise<void> {
  const file = (name: string): string => join(folder, name);
  const source = `sqlite:${file('registry.sqlite')}`;
  await fill(source, assets);
  console.log(`${assets} assets, ${megabytes(statSync(file('registry.sqlite')).size)} MB on SQLite`);
  const run = async (what: string, words: string[], databaseUrl = source): Promise<void> => {
    const { seconds, peakMb } = await runMeasured(words, databaseUrl);
    console.log(`${what.padEnd(28)} ${seconds.toFixed(1).padStart(7)} s ${String(peakMb).padStart(6)} MB`);
  };
  await run('backup of SQLite', ['backup', file('backup.sqlite')]);
  await run('restore to SQLite', ['restore', file('backup.sqlite')], `sqlite:${file('restored.sqlite')}`);
  await run('move from SQLite to MariaDB', ['db', 'move', source, moved]);
  await run('backup of MariaDB', ['backup', file('second.sqlite')], moved);
  await run('restore to MariaDB', ['restore', file('second.sqlite')], restored);
  await run('move from MariaDB to SQLite', ['db', 'move', moved, `sqlite:${file('back.sqlite')}`]);
  await run('verify, SQLite and MariaDB', ['db', 'verify', source, moved]);
}

/** One asset by the service, and copies of it. */
async function fill(databaseUrl: string, assets: number): Promise<void> {
  const service = await ServiceProcess.start({ DATABASE_URL: databaseUrl });
  const headers = { Authorization: basic('broker'), 'Content-Type': 'application/json' };
  const reply = await fetch(service.url + ASSETS, { method: 'POST', headers, body: JSON.stringify(assetBody()) });
  await service.kill('SIGTERM');
  if (reply.status !== 201) throw new Error(`POST answered ${reply.status}`);
  await addAssets(databaseUrl, assets - 1);
}

/** Runs the built command line and watches the most memory that its process ever had (Linux tells it). */
async function runMeasured(words: string[], databaseUrl: string): Promise<{ seconds: number; peakMb: number }> {
  const began = performance.now();
  const env = { PATH: process.env.PATH, DATABASE_URL: databaseUrl };
  const child = spawn(process.execPath, ['dist/cli.js', ...words], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  let peakKb = 0;
  const watch = setInterval(() => (peakKb = Math.max(peakKb, peakKbOf(child.pid))), POLL_MS);
  const [code] = (await once(child, 'exit')) as [number | null];
  clearInterval(watch);
  if (code !== 0) throw new Error(`registry ${words[0]} ended with ${code}`);
  return { seconds: (performance.now() - began) / 1_000, peakMb: Math.round(peakKb / 1_024) };
}

/** 0 where it is not told, or the process has just ended. */
function peakKbOf(pid: number | undefined): number {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1_000_000);
}
