import { Inject, Injectable } from '@nestjs/common';
import proxyAddr from 'proxy-addr';
import { CONFIG } from '../../platform/config/config.module.js';
import type { Config } from '../../platform/config/config.js';
import { tooManyBytes, tooManyRequests } from '../../platform/errors/errors.js';
import { isRead, isWrite, type RegistryRequest, type RegistryResponse, type Middleware } from '../request.js';
import type { Routes } from '../routes.js';
import { targetOf } from '../request-target.js';
import { clientOf, withoutPort } from './client-address.js';
import { LIMIT_OBSERVER, type LimitObserver } from './limit-observer.js';
import { RateLimit, type Balance } from './rate-limit.js';

/** An answer costs another token for each of these many bytes, so that expensive answers count more. */
const BYTES_PER_TOKEN = 256 * 1024;
/** The unit of each limit in error messages, by the name in the RateLimit headers. */
const KINDS = { reads: 'reads', writes: 'writes', keys: 'refused keys' };
/** Reads that are not limited: health checks, and the pages' own files. */
const UNLIMITED = /^\/(?:health\/(?:live|ready)|pages\/[^/]+|robots\.txt|favicon\.ico)$/;

/**
 * Limits reads and refused keys by client address, and writes by account. Each process counts separately.
 * Source: contract section 8, 429.
 */
@Injectable()
export class RateLimits {
  private readonly reads: RateLimit;
  private readonly writes: RateLimit;
  private readonly refusedKeys: RateLimit;
  private readonly isOn: boolean;
  private readonly bytesPerDay: number;
  private readonly isTrusted: (address: string, distance: number) => boolean;

  constructor(
    @Inject(CONFIG) { rateLimit, readRate, writeRate, refusedKeyRate, accountBytesPerDay, trustProxy }: Config,
    @Inject(LIMIT_OBSERVER) private readonly observer: LimitObserver,
  ) {
    this.isOn = rateLimit;
    this.bytesPerDay = accountBytesPerDay;
    const isTrusted = proxyAddr.compile(trustProxy);
    // Some proxies append the port of the proxy before them.
    this.isTrusted = (address, distance) => isTrusted(withoutPort(address), distance);
    this.reads = new RateLimit(readRate);
    this.writes = new RateLimit(writeRate);
    this.refusedKeys = new RateLimit(refusedKeyRate);
  }

  /**
   * Middleware for all requests. It counts reads, requests that match no route, and writes of modules without a key. Other writes are counted
   * once their account is known.
   * @param routes to look up a request's route and guards
   * @param keyGuard the guard that identifies the account
   */
  readLimit(routes: Pick<Routes, 'templateOf' | 'guardsOf'>, keyGuard: unknown): Middleware {
    const isCounted = (request: RegistryRequest): boolean => {
      const { method } = request;
      const { path } = targetOf(request);
      if (isRead(request)) return !UNLIMITED.test(path);
      if (!isWrite(request)) return routes.templateOf(method, path) === undefined;
      return routes.guardsOf(method, path)?.includes(keyGuard) !== true;
    };
    return (request, response) => {
      if (this.isOn && isCounted(request)) this.limitRead(request, response);
    };
  }

  /** Counts a read, and the bytes of its answer as they are sent. @throws ApiError 429 */
  limitRead(request: RegistryRequest, response: RegistryResponse): void {
    if (!this.isOn) return;
    const client = this.clientOf(request);
    this.spend('reads', this.reads, client, response);
    let uncharged = 0;
    response.chargeWork = (bytes) => {
      uncharged += bytes;
      if (uncharged < BYTES_PER_TOKEN) return;
      this.reads.charge(client, Math.floor(uncharged / BYTES_PER_TOKEN));
      uncharged %= BYTES_PER_TOKEN;
    };
  }

  /**
   * Counts one more page of an event stream as a read.
   * @param client see `clientOf`
   * @returns milliseconds to wait before the next page
   */
  chargePage(client: string): number {
    if (!this.isOn) return 0;
    this.reads.charge(client, 1);
    return this.reads.debtMs(client);
  }

  /** @throws ApiError 429 */
  limitWrite(account: string, response: RegistryResponse): void {
    this.spend('writes', this.writes, account, response);
  }

  /**
   * Refuses a write if the account has used up its bytes of today.
   * @param storedToday in bytes, as the database has counted them
   * @param renewsSeconds until the next day
   * @throws ApiError 429
   */
  limitBytes(storedToday: number, renewsSeconds: number): void {
    if (storedToday < this.bytesPerDay) return;
    this.observer.refusedByLimit('bytes');
    throw tooManyBytes(renewsSeconds, this.bytesPerDay);
  }

  /** Called for every refused key, so that guessing soon ends in 429. @throws ApiError 429 */
  limitRefusedKey(request: RegistryRequest, response: RegistryResponse): void {
    this.spend('keys', this.refusedKeys, this.clientOf(request), response);
  }

  /** The client that a request is counted for. X-Forwarded-For is used only from proxies that TRUST_PROXY names. */
  clientOf(request: RegistryRequest): string {
    // A connection that is already closed has no address.
    return clientOf(request.socket.remoteAddress === undefined ? undefined : proxyAddr(request, this.isTrusted));
  }

  private spend(name: keyof typeof KINDS, limit: RateLimit, key: string, response: RegistryResponse): void {
    if (!this.isOn) return;
    const { burst, perSecond } = limit.rate;
    const balance = limit.spend(key);
    response.setHeader('RateLimit-Policy', `"${name}";q=${burst};w=${Math.ceil(burst / perSecond)}`);
    response.setHeader('RateLimit', printBalance(name, balance));
    if (balance.allowed) return;
    this.observer.refusedByLimit(name);
    throw tooManyRequests(balance.retrySeconds, { kind: KINDS[name], burst, perSecond });
  }
}

function printBalance(name: string, { remaining, resetSeconds, retrySeconds }: Balance): string {
  return `"${name}";r=${remaining};t=${retrySeconds === 0 ? resetSeconds : retrySeconds}`;
}
