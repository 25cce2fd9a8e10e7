import { randomInt } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { type DatabaseKind, NoServerError } from '../faults/databases.js';
import { type Plan, type Report, runFaults } from '../faults/run-faults.js';

const RUN_MS = 20 * 60_000;

/** The same seed makes the same choices; FAULTS_SEED repeats a run that failed. */
const seed = Number(process.env.FAULTS_SEED ?? randomInt(2 ** 31));

/** The short form of `npm run test:faults`, on a machine that has others to run beside it. */
const SHORT: Omit<Plan, 'database'> = {
  seed,
  seconds: 6,
  changes: 150,
  writers: 16,
  services: 2,
  workers: 1,
  eagerReaders: 1,
  serviceKills: 2,
  databaseKills: 2,
  serviceFreezes: 1,
  databaseFreezes: 1,
  longestFreezeMs: 2_000,
  allowedWriteGapMs: Infinity,
  proxyFaults: 8,
  clockSteps: 0,
  workerKills: 0,
  workerFreezes: 0,
  channelFloods: 0,
  preparedTransactions: 0,
  slowness: 4,
};

/** Services that are frozen keep every writer waiting, which would hide how long the cluster takes to go on without a node. */
const SHORT_ON_CLUSTER = { ...SHORT, seconds: 12, serviceFreezes: 0, databaseFreezes: 2, allowedWriteGapMs: 5_000 };

/** A server in a container cannot be killed as a process can: without one of this machine's own only SQLite is tried. */
async function runOrTell(plan: Plan): Promise<Report | undefined> {
  try {
    return await runFaults(plan);
  } catch (error) {
    if (!(error instanceof NoServerError)) throw error;
    console.warn(`NOT TRIED on ${plan.database}. ${error.message}`);
    return undefined;
  }
}

/** The tests of what readers see while services, databases and connections are harmed. @param seconds on one server, for each database */
export function describeFaults(kinds: readonly DatabaseKind[], seconds: number): void {
  describe(`while processes are killed, frozen and cut off (FAULTS_SEED=${seed})`, () => {
    it.each(kinds)(
      'no reader misses a change on %s',
      async (database) => {
        const report = await runOrTell({
          ...(database === 'galera' ? SHORT_ON_CLUSTER : { ...SHORT, seconds }),
          database,
        });
        if (report === undefined) return;
        const { violations, counts } = report;
        expect(violations).toEqual([]);
        expect(counts.acknowledged).toBeGreaterThan(100);
      },
      RUN_MS,
    );
  });
}
