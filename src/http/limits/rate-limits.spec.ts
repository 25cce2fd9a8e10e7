import { expect, it } from '@jest/globals';
import type { Config } from '../../platform/config/config.js';
import { anAnswerTo, aRequest } from '../../../test/support/requests.js';
import type { RegistryResponse } from '../request.js';
import { RateLimits } from './rate-limits.js';

const TOKEN_BYTES = 256 * 1024;

it('charges the bytes of an answer as they are sent, each byte once', () => {
  const readRate = { perSecond: 0.001, burst: 100 };
  const config = { rateLimit: true, readRate, writeRate: readRate, refusedKeyRate: readRate, trustProxy: [] };
  const limits = new RateLimits(config as unknown as Config, { refusedByLimit: () => undefined });
  const asked = (): RegistryResponse => {
    const request = aRequest({ url: '/api/0.1/assets' });
    const response = anAnswerTo(request);
    limits.limitRead(request, response);
    return response;
  };

  const first = asked();
  expect(first.getHeader('RateLimit')).toMatch(/r=99;/);
  first.chargeWork?.(2.5 * TOKEN_BYTES);
  expect(asked().getHeader('RateLimit')).toMatch(/r=96;/);
  for (let i = 0; i < 9; i++) first.chargeWork?.(TOKEN_BYTES / 2);
  expect(asked().getHeader('RateLimit')).toMatch(/r=90;/);
});
