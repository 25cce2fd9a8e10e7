import { Inject, Injectable } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { tooManyRequests } from '../errors/errors.js';
import { targetOf } from '../http/request-target.js';
import { clientOf } from './client-address.js';
import { Metrics } from './metrics.js';
import { RateLimit, type Take } from './rate-limit.js';

const READS = new Set(['GET', 'HEAD']);

/**
 * How often one client may ask: reads by its address, writes by its account, and refused keys by its address. Each process counts for
 * itself. Source: contract section 8, 429.
 */
@Injectable()
export class RateLimits {
  private readonly reads: RateLimit;
  private readonly writes: RateLimit;
  private readonly refusedKeys: RateLimit;
  private readonly isOn: boolean;

  constructor(
    @Inject(CONFIG) { rateLimit, readRate, writeRate, refusedKeyRate }: Config,
    private readonly metrics: Metrics,
  ) {
    this.isOn = rateLimit;
    this.reads = new RateLimit(readRate);
    this.writes = new RateLimit(writeRate);
    this.refusedKeys = new RateLimit(refusedKeyRate);
  }

  /** Middleware for everything; supervisors and writes, whose account is not known yet, are let through. @throws ApiError 429 */
  readonly limitReads = (request: Request, response: Response, next: NextFunction): void => {
    if (this.isOn && READS.has(request.method) && targetOf(request).path.startsWith('/api/')) {
      this.take('reads', this.reads, clientOf(request.ip), response);
    }
    next();
  };

  /** @throws ApiError 429 */
  takeWrite(account: string, response: Response): void {
    this.take('writes', this.writes, account, response);
  }

  /** Told of every key that was refused: who guesses is refused otherwise after a while. @throws ApiError 429 */
  takeRefusedKey(request: Request, response: Response): void {
    this.take('keys', this.refusedKeys, clientOf(request.ip), response);
  }

  private take(name: string, limit: RateLimit, key: string, response: Response): void {
    if (!this.isOn) return;
    const { burst, perSecond } = limit.rate;
    const taken = limit.take(key);
    response.setHeader('RateLimit-Policy', `"${name}";q=${burst};w=${Math.ceil(burst / perSecond)}`);
    response.setHeader('RateLimit', told(name, taken));
    if (taken.allowed) return;
    this.metrics.refusedByLimit(name);
    throw tooManyRequests(taken.retrySeconds);
  }
}

function told(name: string, { remaining, resetSeconds, retrySeconds }: Take): string {
  return `"${name}";r=${remaining};t=${retrySeconds === 0 ? resetSeconds : retrySeconds}`;
}
