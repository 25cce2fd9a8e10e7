import { randomInt } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { fuzz, type Outcome, type Plan, toldFault } from '../fuzz/fuzz.js';
import { databases, type TestDatabaseKind } from '../support/databases.js';
import { TestRegistry, zoneAtNoon } from '../support/registry.js';
import { stalledSince } from '../support/server-stalls.js';

const LONGEST_MS = 300_000;

/** The tests of a number of requests on each database, by a seed that is new each time and told. */
export function describeFuzzedRequests(count: number): void {
  describe.each(databases)('requests that nobody would write on $name', (kind) => {
    const seed = randomInt(2 ** 31);

    it(
      `are answered as the contract says, ${count} of them from seed ${seed}`,
      async () => {
        const { requests, assets, faults } = await fuzzThroughStandstills(kind, { seed, requests: count, clients: 64 });
        expect(faults.map(toldFault).join('\n\n')).toBe('');
        expect(requests).toBeGreaterThanOrEqual(count);
        // Most of what is sent must come to the later checks.
        expect(assets).toBeGreaterThan(count / 50);
      },
      LONGEST_MS,
    );
  });
}

/** Where the machine stood still meanwhile, a 503 is right and says nothing: all is sent again, to a registry of its own. */
async function fuzzThroughStandstills(kind: TestDatabaseKind, plan: Plan): Promise<Outcome> {
  for (;;) {
    const beganMs = performance.now();
    const outcome = await TestRegistry.during(kind, { TIME_ZONE: zoneAtNoon() }, ({ url }) => fuzz(url, plan));
    if (!outcome.faults.some(({ reply }) => reply?.status === 503) || !stalledSince(beganMs)) return outcome;
    console.warn('The machine stood still: run again', outcome.faults.map(toldFault));
  }
}
