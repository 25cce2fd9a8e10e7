import { describe, expect, it } from '@jest/globals';
import { creation, MemoryStore } from '../../test/support/memory-store.js';
import { createLedger } from './create-ledger.js';
import { DurableClock } from './durable-clock.js';
import { SettledClock } from './settled-clock.js';
import { SYSTEM_TIMING } from './timing.js';

describe('the ledger of a process', () => {
  it('gives no instant that it has seen, when the database has fallen back behind it', async () => {
    const store = new MemoryStore();
    const settled = new SettledClock();
    const ledger = createLedger({
      store,
      timing: SYSTEM_TIMING,
      wallClock: { nowUs: () => 1_000 },
      settled,
      durable: new DurableClock({ needsBarrier: () => false, flush: () => Promise.resolve() }),
      dayOf: () => 'day',
      assetIdPrefix: 'UA',
    });
    settled.raise(5_000);
    store.clockUs = 10;
    expect((await ledger.submit(creation('a'))).modifiedUs).toBe(5_001);
  });
});
