import { randomInt } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { fuzz, toldFault } from '../fuzz/fuzz.js';
import { databases } from '../support/databases.js';
import { TestRegistry, zoneAtNoon } from '../support/registry.js';

const LONGEST_MS = 300_000;

/** The tests of a number of requests on each database, by a seed that is new each time and told. */
export function describeFuzzedRequests(count: number): void {
  describe.each(databases)('requests that nobody would write on $name', (kind) => {
    const seed = randomInt(2 ** 31);

    it(
      `are answered as the contract says, ${count} of them from seed ${seed}`,
      async () => {
        await TestRegistry.during(kind, { TIME_ZONE: zoneAtNoon() }, async ({ url }) => {
          const { requests, assets, faults } = await fuzz(url, { seed, requests: count, clients: 64 });
          expect(faults.map(toldFault).join('\n\n')).toBe('');
          expect(requests).toBeGreaterThanOrEqual(count);
          // Most of what is sent must come to the later checks.
          expect(assets).toBeGreaterThan(count / 50);
        });
      },
      LONGEST_MS,
    );
  });
}
