import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { Config } from '../platform/config/config.js';
import { logger } from '../platform/logging/logger.js';
import { Origins } from './origins.js';
import type { RegistryRequest } from './request.js';

describe('how a client reached a resource', () => {
  const origins = new Origins({ publicUrl: undefined, trustProxy: [] as string[] } as Config);

  it.each([
    ['192.0.2.1', 'http://192.0.2.1:8080'],
    ['::1', 'http://[::1]:8080'],
    ['fe80::1%eth0', 'http://[fe80::1]:8080'],
  ])('without a Host, links use the called address: %s', (localAddress, base) => {
    const request = {
      url: '/api',
      headers: {},
      socket: { localAddress, localPort: 8080 },
    } as unknown as RegistryRequest;
    expect(origins.of(request)).toMatchObject({ base });
  });
});

describe('a proxy that TRUST_PROXY does not name', () => {
  const warn = jest.spyOn(logger, 'warn').mockReturnValue();
  const request = (remoteAddress: string, headers: object): RegistryRequest =>
    ({ headers, socket: { remoteAddress } }) as unknown as RegistryRequest;
  const forwarded = { 'x-forwarded-for': '192.0.2.1' };
  const noticing = (publicUrl?: string): Origins =>
    new Origins({ publicUrl, trustProxy: ['10.0.0.0/8'] } as unknown as Config);

  afterEach(() => void warn.mockClear());

  it('is logged once, with what to set', () => {
    const origins = noticing();
    for (let i = 0; i < 2; i++) origins.noticeProxy(request('172.17.0.1', forwarded));
    expect(warn.mock.calls).toEqual([
      [{ address: '172.17.0.1' }, expect.stringMatching(/set TRUST_PROXY to its network, and PUBLIC_URL to the base/)],
    ]);
  });

  it('is logged without PUBLIC_URL if that is set', () => {
    noticing('https://registry.example').noticeProxy(request('172.17.0.1', { 'x-forwarded-proto': 'https' }));
    expect(warn.mock.calls).toEqual([[expect.anything(), expect.not.stringContaining('PUBLIC_URL')]]);
  });

  it('is not logged for a client without a proxy, nor for a trusted proxy', () => {
    const origins = noticing();
    origins.noticeProxy(request('172.17.0.1', { host: 'registry' }));
    origins.noticeProxy(request('10.0.0.1', forwarded));
    expect(warn).not.toHaveBeenCalled();
  });
});
