import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'embedded-sqlite';
import { createConnection } from 'mysql2/promise';
import type { TestDatabase } from '../support/databases.js';

const POLL_MS = 3;

/** Parts of all assets that the target has when a move is killed. */
const PARTS = [0.02, 0.5];

/**
 * Moves, and kills each move once the target has a part of the source's assets.
 * @param fresh makes an empty target; called again if a move ended before it was seen at the wanted point
 * @returns the target that was left with a part of the assets
 */
export async function killMoves(fromUrl: string, fresh: () => Promise<TestDatabase>): Promise<TestDatabase> {
  for (;;) {
    const to = await fresh();
    if (await killEach(fromUrl, to.url)) return to;
  }
}

async function killEach(fromUrl: string, toUrl: string): Promise<boolean> {
  const all = await countAssets(fromUrl);
  for (const part of PARTS) {
    const child = spawn(process.execPath, [resolve('dist/cli.js'), 'db', 'move', fromUrl, toUrl], { stdio: 'ignore' });
    const end = once(child, 'exit');
    while ((await countAssets(toUrl)) <= all * part && child.exitCode === null) await sleep(POLL_MS);
    child.kill('SIGKILL');
    const [code] = (await end) as [number | null];
    if (code) throw new Error(`The move ended with ${code} before it was killed`);
    if ((await countAssets(toUrl)) === all) return false;
  }
  return true;
}

/** 0 without a table. These queries do not use the database as a service would. */
async function countAssets(url: string): Promise<number> {
  try {
    return await (url.startsWith('sqlite:') ? countInFile(url.slice('sqlite:'.length)) : countOnServer(new URL(url)));
  } catch {
    return 0;
  }
}

function countInFile(path: string): number {
  const file = new Sqlite(path, { readonly: true, fileMustExist: true });
  try {
    return file.prepare<[], { n: number }>('SELECT COUNT(*) AS n FROM asset').get()?.n ?? 0;
  } finally {
    file.close();
  }
}

async function countOnServer(url: URL): Promise<number> {
  const database = url.pathname.slice(1);
  url.pathname = '';
  const connection = await createConnection(url.href);
  try {
    const [rows] = await connection.query(`SELECT COUNT(*) AS n FROM ${database}.asset`);
    return Number((rows as { n: unknown }[])[0]?.n);
  } finally {
    await connection.end();
  }
}
