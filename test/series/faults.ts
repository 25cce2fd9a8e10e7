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

/** One service of several processes, of which the one that writes for all is killed and frozen. */
const SHORT_OF_WORKERS = {
  ...SHORT,
  seconds: 12,
  services: 1,
  workers: 3,
  serviceKills: 0,
  serviceFreezes: 0,
  workerKills: 5,
  workerFreezes: 2,
};

/** The same, of which the one that writes is frozen while more is sent to it than the way to it takes. */
const SHORT_OF_FLOODS = {
  ...SHORT_OF_WORKERS,
  writers: 8,
  workers: 2,
  databaseKills: 0,
  databaseFreezes: 0,
  proxyFaults: 0,
  workerKills: 0,
  workerFreezes: 0,
  channelFloods: 2,
};

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

/** The same while the worker that writes for all of its service is killed and frozen, and while the way to it is full. */
export function describeWorkerFaults(database: DatabaseKind): void {
  it.each([
    ['the worker that writes is killed and frozen', SHORT_OF_WORKERS],
    ['more is sent to the worker that writes than the way to it takes', SHORT_OF_FLOODS],
  ])(
    `no reader misses a change while %s, on ${database} (FAULTS_SEED=${seed})`,
    async (_, plan) => {
      const report = await runOrTell({ ...plan, database });
      if (report === undefined) return;
      expect(report.violations).toEqual([]);
      expect(report.counts.acknowledged).toBeGreaterThan(100);
    },
    RUN_MS,
  );
}
