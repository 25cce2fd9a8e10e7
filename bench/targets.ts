import { join } from 'node:path';
import { builtService, ServiceProcess } from '../test/support/process.js';
import { cleanUpAtExit } from '../test/support/clean-up-at-exit.js';
import { TIME_ZONE } from './data-set/data-set.js';
import type { DatabasePair } from './data-set/write.js';
import { withChildren } from './load/usage.js';

/** What load is put on. */
export interface Target {
  url: string;
  /** Of all its processes. */
  pids: number[];
  /** Milliseconds from its start until it said that it listens. */
  startMs: number;
  stop(): Promise<void>;
}

export interface Pair {
  floor: Target;
  registry: Target;
}

interface StartOptions {
  workers: number;
  /** A folder for a profile of each process; undefined: none. */
  profile: string | undefined;
}

/** Both on one server, both with the same number of processes; what is not loaded does next to nothing. */
export async function startPair(databases: DatabasePair, options: StartOptions): Promise<Pair> {
  const floor = await startTarget('floor', databases.floor, floorProgram(), options);
  const registry = await startTarget('registry', databases.registry, builtService(), options);
  return { floor, registry };
}

/** Beside this file where it is compiled. */
function floorProgram(): string {
  return join(import.meta.dirname, 'floor', 'main.js');
}

/** The registry alone. */
export function startRegistry(databaseUrl: string, env: Record<string, string> = {}): Promise<Target> {
  return startTarget('registry', databaseUrl, builtService(), { workers: 1, profile: undefined }, env);
}

async function startTarget(
  name: string,
  databaseUrl: string,
  program: string,
  { workers, profile }: StartOptions,
  further: Record<string, string> = {},
): Promise<Target> {
  // What is logged is warnings: the floor has no log.
  const env = { DATABASE_URL: databaseUrl, WORKERS: String(workers), TIME_ZONE, LOG_LEVEL: 'warn', ...further };
  const began = performance.now();
  const service = await ServiceProcess.start(env, [...profileOptions(name, profile), program]);
  const abandon = cleanUpAtExit(() => service.signal('SIGKILL'));
  return {
    url: service.url,
    pids: withChildren(service.pid),
    startMs: performance.now() - began,
    stop: async () => {
      // In order, because a profile is written at the end.
      await service.kill('SIGTERM');
      abandon.revoke();
    },
  };
}

function profileOptions(name: string, folder: string | undefined): string[] {
  if (folder === undefined) return [];
  return ['--cpu-prof', `--cpu-prof-dir=${join(folder, name)}`];
}
