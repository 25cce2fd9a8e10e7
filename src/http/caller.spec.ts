import { describe, expect, it } from '@jest/globals';
import { TIME_BUDGETS_MS } from '../platform/config/time-budgets.js';
import { callerOf, waitedMs } from './caller.js';
import type { RegistryRequest, RegistryResponse } from './request.js';

describe('how long a request has waited', () => {
  it('does not count the time in which its body arrived', () => {
    const request = { arrivedMs: performance.now() - 1_001_000, idleMs: 1_000_000 };
    const waited = waitedMs(request as RegistryRequest);
    expect(waited).toBeGreaterThanOrEqual(1_000);
    expect(waited).toBeLessThan(1_000_000);
  });

  it('grows while its caller waits', () => {
    const req = { arrivedMs: performance.now(), idleMs: 0, requestId: 'r' };
    const caller = callerOf({ req } as unknown as RegistryResponse);
    req.arrivedMs -= 5_000;
    expect(caller.waitedMs).toBeGreaterThanOrEqual(5_000);
  });

  it('does not count the time without a slot, released once or twice', async () => {
    const sinceMs = performance.now() - 4_000;
    const req = { arrivedMs: sinceMs - 1_000, idleMs: 0, idleSinceMs: sinceMs };
    const caller = callerOf({ req } as unknown as RegistryResponse);
    caller.releaseSlot();
    expect(caller.waitedMs).toBeCloseTo(1_000);
    await caller.reacquireSlot();
    expect(req).toMatchObject({ idleSinceMs: undefined });
    expect(req.idleMs).toBeGreaterThanOrEqual(4_000);
  });

  it('leaves the rest of 7.5 s for work', async () => {
    const req = { arrivedMs: performance.now() - TIME_BUDGETS_MS.answer, idleMs: 0 };
    const caller = callerOf({ req } as unknown as RegistryResponse);
    await expect(caller.beforeDeadline(new Promise(() => undefined))).rejects.toMatchObject({ status: 503 });
  });
});
