import { describe, expect, it } from '@jest/globals';
import type { Config } from '../config/config.js';
import { callerOf, Origins, type RegistryRequest, type RegistryResponse, waitedMs } from './exchange.js';

describe('how long a request has waited', () => {
  it('does not count the time that its body took to come', () => {
    const request = { arrivedMs: performance.now() - 1_001_000, idleMs: 1_000_000 };
    const waited = waitedMs(request as RegistryRequest);
    expect(waited).toBeGreaterThanOrEqual(1_000);
    expect(waited).toBeLessThan(1_000_000);
  });

  it('goes on while its caller waits', () => {
    const req = { arrivedMs: performance.now(), idleMs: 0, requestId: 'r' };
    const caller = callerOf({ req } as unknown as RegistryResponse);
    req.arrivedMs -= 5_000;
    expect(caller.waitedMs).toBeGreaterThanOrEqual(5_000);
  });

  it('does not count for how long its caller had stepped out, said once or twice', async () => {
    const sinceMs = performance.now() - 4_000;
    const req = { arrivedMs: sinceMs - 1_000, idleMs: 0, idleSinceMs: sinceMs };
    const caller = callerOf({ req } as unknown as RegistryResponse);
    caller.stepOut();
    expect(caller.waitedMs).toBeCloseTo(1_000);
    await caller.comeBack();
    expect(req).toMatchObject({ idleSinceMs: undefined });
    expect(req.idleMs).toBeGreaterThanOrEqual(4_000);
  });
});

describe('how a client reached a resource', () => {
  const origins = new Origins({ publicUrl: undefined, trustProxy: [] as string[] } as Config);

  it.each([
    ['192.0.2.1', 'http://192.0.2.1:8080'],
    ['::1', 'http://[::1]:8080'],
    ['fe80::1%eth0', 'http://[fe80::1]:8080'],
  ])('without a Host, links are made from the address that was called: %s', (localAddress, base) => {
    const request = {
      url: '/api',
      headers: {},
      socket: { localAddress, localPort: 8080 },
    } as unknown as RegistryRequest;
    expect(origins.of(request)).toMatchObject({ base });
  });
});
