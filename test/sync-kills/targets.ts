import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import { cleanUpAtExit } from '../../scripts/machine/clean-up-at-exit.js';
import { takeServerProgram } from '../../scripts/machine/server-program.js';
import { removeFolder } from '../../scripts/machine/remove-folder.js';
import { startPrivateServer } from '../support/private-server.js';

export const TARGETS = ['sqlite', 'jsonl', 'mysql'] as const;
export type TargetKind = (typeof TARGETS)[number];

/** Where a run keeps its registry and its copies. */
export interface Places {
  databaseUrl: string;
  newTarget(): Promise<string>;
  stop(): Promise<void>;
}

/** Files in a folder that goes at the end; for `mysql` a server of its own. */
export async function openPlaces(kind: TargetKind): Promise<Places> {
  const folder = mkdtempSync(join(tmpdir(), 'registry-sync-kills-'));
  cleanUpAtExit(() => removeFolder(folder));
  const databaseUrl = `sqlite:${join(folder, 'registry.sqlite')}`;
  let copies = 0;
  if (kind !== 'mysql') {
    const newTarget = async (): Promise<string> => `${kind}:${join(folder, `copy-${copies++}`)}`;
    return { databaseUrl, newTarget, stop: async () => undefined };
  }
  const server = await startPrivateServer(await takeServerProgram());
  const newTarget = async (): Promise<string> => {
    const name = `copy_${copies++}`;
    const connection = await createConnection(server.url);
    await connection.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4`);
    await connection.end();
    return Object.assign(new URL(server.url), { pathname: name }).href;
  };
  return { databaseUrl, newTarget, stop: () => server.stop() };
}
