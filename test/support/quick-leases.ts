import { jest } from '@jest/globals';
import { Lease } from '../../src/database/connections/lease.js';
import { loadServiceHere } from './loaded-service.js';

const RENEWAL_MS = 100;

/** Makes services that start in this process from now on renew their leases, and check their database, without pauses of five seconds. */
export function renewLeasesQuickly(): void {
  loadServiceHere();
  // oxlint-disable-next-line typescript/unbound-method -- called with its lease
  const { startRenewing } = Lease.prototype;
  jest.spyOn(Lease.prototype, 'startRenewing').mockImplementation(function (this: Lease, isReachable) {
    startRenewing.call(this, isReachable);
    setInterval(() => void (isReachable() && this.renew()), RENEWAL_MS).unref();
  });
}
