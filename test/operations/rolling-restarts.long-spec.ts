import { describe, expect, it } from '@jest/globals';
import { type RestartReport, rollRestarts } from './rolling-restarts.js';
import { databases, type TestDatabaseKind } from '../support/databases.js';
import { stalledSince } from '../support/server-stalls.js';

const PLAN = { restarts: 2, drainSeconds: 3 };

const MAX_RUNS = 4;
const ALL_RUNS_MS = MAX_RUNS * 180_000;

const servers = databases.filter(({ name }) => name !== 'SQLite');

interface Run extends RestartReport {
  /** Requests failed while the machine stood still: rightly, or they came to an instance that the balancer could not see end. */
  saysNothing: boolean;
}

async function run(kind: TestDatabaseKind): Promise<Run> {
  const beganMs = performance.now();
  const database = await kind.create();
  try {
    const report = await rollRestarts({ ...PLAN, databaseUrl: database.url });
    return { ...report, saysNothing: report.load.failures.length > 0 && stalledSince(beganMs) };
  } finally {
    await database.drop();
  }
}

describe.each(servers)('two instances on $name behind a balancer', (kind) => {
  it(
    'are restarted in turn under load, and the schema grows meanwhile: no request fails',
    async () => {
      let report = await run(kind);
      for (let runs = 1; runs < MAX_RUNS && report.saysNothing; runs++) {
        console.warn('The machine stalled: running again', report.load.failures);
        expect(report.badEnds).toEqual([]);
        report = await run(kind);
      }
      expect(report.load.failures).toEqual([]);
      expect(report.faults).toEqual([]);
      expect(report.badEnds).toEqual([]);
      expect(report.load.answered).toBeGreaterThan(200);
      expect(report.schemaChangeMs).toBeGreaterThan(0);
    },
    ALL_RUNS_MS,
  );
});
