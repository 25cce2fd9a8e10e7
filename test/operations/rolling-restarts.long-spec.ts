import { randomInt } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { describe, expect, it } from '@jest/globals';
import { type RestartReport, rollRestarts } from '../reliability/rolling-restarts.js';
import { databases, type TestDatabaseKind } from '../support/databases.js';

/** `npm run test:reliability -- rolling-restarts` is the long form. */
const PLAN = { restarts: 2, rate: 200, drainSeconds: 3 };
const SEED = Number(process.env.RESTARTS_SEED ?? randomInt(2 ** 31));

/** Much longer than anything that this process does at once. */
const STOOD_STILL_MS = 1_000;
const MOST_RUNS = 4;
const ALL_RUNS_MS = MOST_RUNS * 180_000;

const servers = databases.filter(({ name }) => name !== 'SQLite');

interface Run extends RestartReport {
  /** The longest time in which this process was not served by the machine, in milliseconds. */
  stoodStillMs: number;
}

async function run(kind: TestDatabaseKind): Promise<Run> {
  const delay = monitorEventLoopDelay();
  const database = await kind.create();
  try {
    delay.enable();
    const report = await rollRestarts({ ...PLAN, databaseUrl: database.url, seed: SEED }, () => undefined);
    return { ...report, stoodStillMs: delay.max / 1e6 };
  } finally {
    delay.disable();
    await database.drop();
  }
}

/** Where the machine stood still, requests are refused rightly, or come to an instance that the balancer could not see end. */
const saysNothing = ({ load, stoodStillMs }: Run): boolean => load.failed > 0 && stoodStillMs > STOOD_STILL_MS;

describe.each(servers)(`two instances on $name behind a balancer (RESTARTS_SEED=${SEED})`, (kind) => {
  it(
    'are restarted in turn under load, and the schema grows meanwhile: no request fails',
    async () => {
      let report = await run(kind);
      for (let runs = 1; runs < MOST_RUNS && saysNothing(report); runs++) {
        console.warn(`The machine stood still for ${report.stoodStillMs} ms: run again`, report.load.failures);
        expect(report.badEnds).toEqual([]);
        report = await run(kind);
      }
      expect(report.load.failures).toEqual([]);
      expect(report.faults).toEqual([]);
      expect(report.badEnds).toEqual([]);
      expect(report.load.answered).toBeGreaterThan(PLAN.rate);
      expect(report.schemaChangeMs).toBeGreaterThan(0);
    },
    ALL_RUNS_MS,
  );
});
