import { describe, expect, it } from '@jest/globals';
import { callerOf, type RegistryRequest, type RegistryResponse, waitedMs } from './exchange.js';

describe('how long a request has waited', () => {
  it('does not count the time that its body took to come', () => {
    const request = { arrivedMs: performance.now() - 12_000, idleMs: 11_000 };
    const waited = waitedMs(request as RegistryRequest);
    expect(waited).toBeGreaterThanOrEqual(1_000);
    expect(waited).toBeLessThan(11_000);
  });

  it('goes on while its caller waits', () => {
    const req = { arrivedMs: performance.now(), idleMs: 0, requestId: 'r' };
    const caller = callerOf({ req } as unknown as RegistryResponse);
    req.arrivedMs -= 5_000;
    expect(caller.waitedMs).toBeGreaterThanOrEqual(5_000);
  });
});
