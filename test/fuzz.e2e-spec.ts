import { randomInt } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { fuzz, toldFault } from './fuzz/fuzz.js';
import { databases } from './support/databases.js';
import { TestRegistry, zoneAtNoon } from './support/registry.js';

/** Ten thousand on all databases together. */
const REQUESTS = 5_000;
const LONGEST_MS = 120_000;

describe.each(databases)('requests that nobody would write on $name', (kind) => {
  const seed = randomInt(2 ** 31);

  it(
    `are answered as the contract says, ${REQUESTS} of them from seed ${seed}`,
    async () => {
      await TestRegistry.during(kind, { TIME_ZONE: zoneAtNoon() }, async ({ url }) => {
        const plan = { seed, requests: REQUESTS, clients: 64 };
        const { requests, assets, faults } = await fuzz(url, plan);
        expect(faults.map(toldFault).join('\n\n')).toBe('');
        expect(requests).toBeGreaterThanOrEqual(REQUESTS);
        // Most of what is sent must come to the later checks.
        expect(assets).toBeGreaterThan(REQUESTS / 50);
      });
    },
    LONGEST_MS,
  );
});
