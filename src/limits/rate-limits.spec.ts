import { Socket } from 'node:net';
import { expect, it } from '@jest/globals';
import type { Config } from '../config/config.js';
import { RegistryRequest, RegistryResponse } from '../http/exchange.js';
import { RateLimits } from './rate-limits.js';

const TOKEN_BYTES = 256 * 1024;

it('charges the work of an answer, and what is done after it has begun, each byte once', () => {
  const readRate = { perSecond: 0.001, burst: 100 };
  const config = { rateLimit: true, readRate, writeRate: readRate, refusedKeyRate: readRate, trustProxy: [] };
  const limits = new RateLimits(config as unknown as Config, { refusedByLimit: () => undefined });
  const asked = (): RegistryResponse => {
    const request = Object.assign(new RegistryRequest(new Socket()), { method: 'GET', url: '/api/0.1/assets' });
    const response = new RegistryResponse(request);
    limits.limitReads(request, response);
    return response;
  };

  const first = asked();
  expect(first.getHeader('RateLimit')).toMatch(/r=99;/);
  first.workBytes += 2.5 * TOKEN_BYTES;
  for (const act of first.whenAnswered) act();
  expect(asked().getHeader('RateLimit')).toMatch(/r=96;/);
  first.workBytes += 4.5 * TOKEN_BYTES;
  for (const act of first.whenOver) act();
  expect(asked().getHeader('RateLimit')).toMatch(/r=90;/);
});
