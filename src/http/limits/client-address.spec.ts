import { expect, it } from '@jest/globals';
import { clientOf } from './client-address.js';

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['192.0.2.1:5555', '192.0.2.1'],
  ['[2001:db8:1:2::1]:5555', '2001:db8:1:2::/64'],
  ['192.0.2.1:', 'unknown'],
  [undefined, 'unknown'],
])('%s counts as %s', (address, client) => {
  expect(clientOf(address)).toBe(client);
});
