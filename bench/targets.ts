import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cleanUpAtExit } from '../scripts/machine/clean-up-at-exit.js';
import { builtService, ServiceProcess } from '../test/support/process.js';
import { TIME_ZONE } from './data-set/data-set.js';
import { withChildren } from './load/usage.js';
import { type ByServer, eachServer, type ServerName } from './servers.js';

/** What load is put on. */
export interface Target {
  url: string;
  /** Of further services on the same database, that have their share of a closed load. */
  further?: readonly string[];
  /** Of all its processes. */
  pids: number[];
  /** Assets in its data set. */
  size: number;
  stop(): Promise<void>;
}

interface StartOptions {
  size: number;
  workers: number;
  /** A folder for a profile of each process; undefined: none. */
  profile: string | undefined;
}

const READY_POLL_MS = 5;

/** All on one server of databases, and each with the same number of processes; what is not loaded does next to nothing. */
export async function startServers(urls: ByServer<string>, options: StartOptions): Promise<ByServer<Target>> {
  const started: Partial<ByServer<Target>> = {};
  for (const [name, url] of eachServer(urls)) started[name] = await startTarget(name, url, programOf(name), options);
  return started as ByServer<Target>;
}

/** The others are beside this file where it is compiled. */
function programOf(name: ServerName): string {
  return name === 'registry' ? builtService() : join(import.meta.dirname, name, 'main.js');
}

/** The registry alone. @returns milliseconds until it was ready, too */
export async function startRegistry(
  databaseUrl: string,
  size: number,
  env: Record<string, string> = {},
): Promise<Target & { readyMs: number }> {
  const began = performance.now();
  const target = await startTarget(
    'registry',
    databaseUrl,
    builtService(),
    { size, workers: 1, profile: undefined },
    env,
  );
  while ((await fetch(`${target.url}/health/ready`)).status !== 200) await sleep(READY_POLL_MS);
  return { ...target, readyMs: performance.now() - began };
}

async function startTarget(
  name: string,
  databaseUrl: string,
  program: string,
  { size, workers, profile }: StartOptions,
  further: Record<string, string> = {},
): Promise<Target> {
  // The data set is of another year: after so long a rest a clock is not believed.
  const clock = { TIME_ZONE, CLOCK_MAX_JUMP: '99999d' };
  // What is logged is warnings: the others have no log.
  const env = { DATABASE_URL: databaseUrl, WORKERS: String(workers), LOG_LEVEL: 'warn', ...clock, ...further };
  const service = await ServiceProcess.start(env, [...profileOptions(name, profile), program]);
  const abandon = cleanUpAtExit(() => service.signal('SIGKILL'));
  return {
    url: service.url,
    pids: withChildren(service.pid),
    size,
    stop: async () => {
      // In order, because a profile is written at the end.
      await service.kill('SIGTERM');
      abandon.revoke();
    },
  };
}

function profileOptions(name: string, folder: string | undefined): string[] {
  return folder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${join(folder, name)}`];
}
