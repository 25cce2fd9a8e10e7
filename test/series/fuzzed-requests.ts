import { randomInt } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { fuzz, type Outcome, type Plan, describeFault } from '../fuzz/fuzz.js';
import { databases, type TestDatabaseKind } from '../support/databases.js';
import { TestRegistry, zoneAtNoon } from '../support/registry.js';
import { stalledSince } from '../support/server-stalls.js';

const LONGEST_MS = 300_000;

/** Tests `count` requests on each database. The seed is random and part of the title. */
export function describeFuzzedRequests(count: number): void {
  describe.each(databases)('random requests on $name', (kind) => {
    const seed = randomInt(2 ** 31);

    it(
      `are answered as the contract says, ${count} of them from seed ${seed}`,
      async () => {
        const { requests, assets, faults } = await fuzzAgainAfterStalls(kind, { seed, requests: count, clients: 64 });
        expect(faults.map(describeFault).join('\n\n')).toBe('');
        expect(requests).toBeGreaterThanOrEqual(count);
        // Most of what is sent must come to the later checks.
        expect(assets).toBeGreaterThan(count / 50);
      },
      LONGEST_MS,
    );
  });
}

/** Runs again on a new registry if the machine stalled, because 503 is then correct. */
async function fuzzAgainAfterStalls(kind: TestDatabaseKind, plan: Plan): Promise<Outcome> {
  for (;;) {
    const beganMs = performance.now();
    const outcome = await TestRegistry.during(kind, { TIME_ZONE: zoneAtNoon() }, ({ url }) => fuzz(url, plan));
    if (!outcome.faults.some(({ reply }) => reply?.status === 503) || !stalledSince(beganMs)) return outcome;
    console.warn('The machine stalled: running again', outcome.faults.map(describeFault));
  }
}
