import { randomInt } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { rollRestarts } from '../reliability/rolling-restarts.js';
import { databases } from '../support/databases.js';

/** `npm run test:reliability -- rolling-restarts` is the long form. */
const PLAN = { restarts: 2, rate: 200, drainSeconds: 3 };
const SEED = Number(process.env.RESTARTS_SEED ?? randomInt(2 ** 31));

const servers = databases.filter(({ name }) => name !== 'SQLite');

describe.each(servers)(`two instances on $name behind a balancer (RESTARTS_SEED=${SEED})`, (kind) => {
  it('are restarted in turn under load, and the schema grows meanwhile: no request fails', async () => {
    const database = await kind.create();
    const report = await rollRestarts({ ...PLAN, databaseUrl: database.url, seed: SEED }, () => undefined);
    expect(report.load.failures).toEqual([]);
    expect(report.faults).toEqual([]);
    expect(report.badEnds).toEqual([]);
    expect(report.load.answered).toBeGreaterThan(PLAN.rate);
    expect(report.schemaChangeMs).toBeGreaterThan(0);
    await database.drop();
  });
});
