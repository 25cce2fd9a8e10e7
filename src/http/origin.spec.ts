import { expect, it } from '@jest/globals';
import type { Config } from '../config/config.js';
import type { RegistryRequest } from './exchange.js';
import { Origins } from './origin.js';

const origins = new Origins({ publicUrl: undefined, trustProxy: [] as string[] } as Config);

it.each([
  ['192.0.2.1', 'http://192.0.2.1:8080'],
  ['::1', 'http://[::1]:8080'],
  ['fe80::1%eth0', 'http://[fe80::1]:8080'],
])('without a Host, links are made from the address that was called: %s', (localAddress, base) => {
  const request = { url: '/api', headers: {}, socket: { localAddress, localPort: 8080 } } as unknown as RegistryRequest;
  expect(origins.of(request)).toMatchObject({ base });
});
