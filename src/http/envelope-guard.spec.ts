import { setImmediate as turn } from 'node:timers/promises';
import { PassThrough } from 'node:stream';
import type { ExecutionContext } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Config } from '../config/config.js';
import { logger } from '../logging/logger.js';
import type { RegistryRequest, RegistryResponse } from './exchange.js';
import { EnvelopeGuard, envelopeOf, takeBytes } from './request-body.js';

const MIB = 1024 * 1024;
const PIECE = 10_000;
const LARGE = Buffer.from(`{"data":{"title":"${'x'.repeat(100_000)}"}}`);

/** A request whose body comes at once. @param cut the names of those that are cut off */
function contextOf(name: string, body: Buffer, cut: string[] = [], destroyed = false): ExecutionContext {
  const socket = { writable: true, destroy: () => cut.push(name) };
  const place = { party: 'broker', stepOut: () => undefined, comeBack: () => Promise.resolve() };
  const request = Object.assign(new PassThrough(), {
    headers: { 'content-type': 'application/json' },
    socket,
    place,
    idleMs: 0,
  });
  request.write(body.subarray(0, PIECE));
  request.end(body.subarray(PIECE));
  const response = { whenOver: [], destroyed };
  const http = { getRequest: () => request, getResponse: () => response };
  return { switchToHttp: () => http, getHandler: () => undefined } as unknown as ExecutionContext;
}

describe('large bodies', () => {
  let guard: EnvelopeGuard;
  /** How many were begun to be read as text. */
  let begun: number;

  beforeEach(() => {
    logger.level = 'silent';
    const config = { bodyLimit: 64 * MIB } as Config;
    guard = new EnvelopeGuard(config, { get: () => undefined } as unknown as Reflector);
    begun = 0;
    jest.spyOn(TextDecoder.prototype, 'decode').mockImplementation((bytes) => {
      begun++;
      return (bytes as Buffer).toString();
    });
  });
  afterEach(() => void jest.restoreAllMocks());

  it('count as held until they are parsed', async () => {
    const cut: string[] = [];
    const large = Buffer.from(`{"data":{"title":"${'x'.repeat(40 * MIB)}"}}`);
    const send = (name: string): Promise<unknown> => guard.canActivate(contextOf(name, large, cut));
    const first = send('a');
    while (begun === 0) await turn();
    const second = send('b');
    await Promise.all([first, second]);
    expect(cut).toEqual(['a']);
  });

  it.each([
    ['POST', { 'idempotency-key': 'k' }, 1],
    ['POST', {}, 0],
    ['PATCH', { 'idempotency-key': 'k' }, 0],
  ])(
    'keep their bytes where a %s with %j may be known by them again, until that is noted',
    async (method, also, kept) => {
      const context = contextOf('a', LARGE);
      const request = context.switchToHttp().getRequest<RegistryRequest>();
      Object.assign(request, { method });
      Object.assign(request.headers, also);
      await guard.canActivate(context);
      expect(takeBytes(request)).toHaveLength(kept * LARGE.length);
      expect(envelopeOf(request).bytes).toHaveLength(0);
    },
  );

  it('are whole where their clients go once they are worked on', async () => {
    const context = contextOf('a', LARGE);
    const request = context.switchToHttp().getRequest<RegistryRequest>();
    Object.assign(request, { method: 'POST' });
    Object.assign(request.headers, { 'idempotency-key': 'k' });
    const reading = guard.canActivate(context);
    while (begun === 0) await turn();
    for (const act of context.switchToHttp().getResponse<RegistryResponse>().whenOver) act();
    await reading;
    expect(takeBytes(request)).toHaveLength(LARGE.length);
  });

  it('are not looked at where their clients have gone', async () => {
    await expect(guard.canActivate(contextOf('a', LARGE, [], true))).rejects.toMatchObject({ status: 503 });
    expect(begun).toBe(0);
  });
});
