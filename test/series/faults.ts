import { randomInt } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { NotInstalledError } from '../../scripts/machine/apt-get.js';
import type { DatabaseKind } from '../faults/databases.js';
import { type Plan, runFaults } from '../faults/run-faults.js';

const RUN_MS = 20 * 60_000;

/** The same seed makes the same choices, though not the same interleaving; FAULTS_SEED repeats a run that failed. */
const seed = Number(process.env.FAULTS_SEED ?? randomInt(2 ** 31));

/** How many times longer each run is, with so many times more harm. */
const LENGTH = Number(process.env.FAULTS_LENGTH ?? 1);

type Kind = Omit<Plan, 'database' | 'seed'>;

const NO_FAULTS = {
  serviceKills: 0,
  databaseKills: 0,
  serviceFreezes: 0,
  databaseFreezes: 0,
  proxyFaults: 0,
  clockSteps: 0,
};
const TWO_SERVICES = { ...NO_FAULTS, writers: 16, services: 2, allowedWriteGapMs: Infinity };

/** Two services on one database, which is killed, frozen and cut off as they are. */
const EVERYTHING: Kind = {
  ...TWO_SERVICES,
  seconds: 6,
  serviceKills: 2,
  databaseKills: 2,
  serviceFreezes: 1,
  databaseFreezes: 1,
  proxyFaults: 8,
};

/** Services that are frozen keep every writer waiting, which would hide how long the cluster takes to go on without a node. */
const NODES: Kind = {
  ...EVERYTHING,
  seconds: 12,
  serviceFreezes: 0,
  databaseFreezes: 2,
  allowedWriteGapMs: 20_000,
};

const CLOCKS: Kind = { ...TWO_SERVICES, seconds: 12, serviceKills: 2, clockSteps: 8 };

function longer({ seconds, ...kind }: Kind): Kind {
  const harm = Object.keys(NO_FAULTS) as (keyof typeof NO_FAULTS)[];
  const more = Object.fromEntries(harm.map((what) => [what, Math.round(kind[what] * LENGTH)]));
  return { ...kind, ...more, seconds: seconds * LENGTH };
}

/** A server in a container cannot be killed as a process can: without one of this machine's own only SQLite is tried. */
function testFaults(title: string, database: DatabaseKind, kind: Kind): void {
  it(
    `no reader misses a change while ${title} on ${database} (FAULTS_SEED=${seed})`,
    async () => {
      try {
        const { violations, acknowledged } = await runFaults({ ...longer(kind), seed, database });
        expect(violations).toEqual([]);
        expect(acknowledged).toBeGreaterThan(100);
      } catch (error) {
        if (!(error instanceof NotInstalledError)) throw error;
        console.warn(`NOT TRIED: ${title} on ${database}. This machine lacks what it needs: ${error.message}`);
      }
    },
    RUN_MS * Math.max(1, LENGTH),
  );
}

/** The tests of what readers see while services, databases and connections are harmed. */
export function describeFaults(databases: readonly DatabaseKind[]): void {
  for (const database of databases)
    testFaults('processes are killed, frozen and cut off', database, database === 'galera' ? NODES : EVERYTHING);
}

/** The same while the clocks of the services go back and forth by up to an hour. */
export function describeClockSteps(databases: readonly DatabaseKind[]): void {
  for (const database of databases) testFaults('the clocks of the services step', database, CLOCKS);
}
