import { setImmediate as turn } from 'node:timers/promises';
import { PassThrough } from 'node:stream';
import type { ExecutionContext } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Config } from '../config/config.js';
import { ownTurn } from '../event-loop/turns.js';
import { logger } from '../logging/logger.js';
import type { RegistryRequest, RegistryResponse } from './exchange.js';
import { EnvelopeGuard, envelopeOf, takeBytes } from './request-body.js';

const MIB = 1024 * 1024;
const NO_UTF8 = 0xff;
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

describe('large bodies that are whole in the same turn of the event loop', () => {
  let guard: EnvelopeGuard;
  /** Of the event loop, as they were begun: to be read as text, and to be parsed. */
  let begun: { decode: number[]; parse: number[] };
  let turns: number;
  let counting: NodeJS.Immediate;
  /** What the clock shows: it goes on only while a body is worked on. */
  let nowMs = 0;

  const work = (turnsOfKind: number[]): void => {
    turnsOfKind.push(turns);
    nowMs += 5;
  };

  beforeEach(() => {
    logger.level = 'silent';
    const config = { bodyLimit: 64 * MIB } as Config;
    guard = new EnvelopeGuard(config, { get: () => undefined } as unknown as Reflector);
    begun = { decode: [], parse: [] };
    turns = 0;
    const count = (): void => {
      turns++;
      counting = setImmediate(count);
    };
    counting = setImmediate(count);
    const { parse } = JSON;
    jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
    jest.spyOn(TextDecoder.prototype, 'decode').mockImplementation((bytes) => {
      work(begun.decode);
      const [first] = bytes as Buffer;
      if (first === NO_UTF8) throw new TypeError('It is no UTF-8');
      return (bytes as Buffer).toString();
    });
    jest.spyOn(JSON, 'parse').mockImplementation((text: string): unknown => {
      work(begun.parse);
      return parse(text);
    });
  });
  afterEach(async () => {
    clearImmediate(counting);
    jest.restoreAllMocks();
    // The turns that belong to others.
    for (let i = 0; i < 10; i++) await turn();
  });

  it('are read as text, and parsed, in turns of their own', async () => {
    await Promise.all(['a', 'b', 'c'].map((name) => guard.canActivate(contextOf(name, LARGE))));
    const all = [...begun.decode, ...begun.parse].toSorted((one, other) => one - other);
    expect(all).toHaveLength(6);
    expect(Math.min(...all.slice(1).map((one, i) => one - (all[i] as number)))).toBeGreaterThanOrEqual(8);
  });

  it('are worked on one at a time: a text, or what is parsed of it, takes several times the memory of the bytes', async () => {
    await Promise.all(['a', 'b', 'c'].map((name) => guard.canActivate(contextOf(name, LARGE))));
    const [, second, third] = begun.decode as [number, number, number];
    expect(begun.parse.map((parsed) => [parsed < second, parsed < third])).toEqual([
      [true, true],
      [false, true],
      [false, false],
    ]);
  });

  it('count as held until they are parsed', async () => {
    const cut: string[] = [];
    const large = Buffer.concat([Buffer.from('{"data":{}}'), Buffer.alloc(40 * MIB, ' ')]);
    const send = (name: string): Promise<unknown> => guard.canActivate(contextOf(name, large, cut));
    const first = send('a');
    while (begun.decode.length === 0) await turn();
    const second = send('b');
    await Promise.all([first, second]);
    expect(cut).toEqual(['a']);
  });

  it('count as held until their turn comes', async () => {
    const cut: string[] = [];
    const send = (name: string): Promise<unknown> =>
      guard.canActivate(contextOf(name, Buffer.alloc(40 * MIB, NO_UTF8), cut)).catch(() => undefined);
    // The next eight turns belong to others.
    await ownTurn();
    nowMs += 5;
    const first = send('a');
    await turn();
    await turn();
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

  it('are not looked at, and take no memory, where their clients go while they wait for their turn', async () => {
    const emptied = jest.spyOn(ArrayBuffer.prototype, 'resize');
    const context = contextOf('b', LARGE);
    const first = guard.canActivate(contextOf('a', LARGE));
    const second = guard.canActivate(context);
    while (begun.decode.length === 0) await turn();
    for (const act of context.switchToHttp().getResponse<RegistryResponse>().whenOver) act();
    expect(emptied.mock.calls).toEqual([[0]]);
    await first;
    await expect(second).rejects.toMatchObject({ status: 503 });
    expect(begun.decode).toHaveLength(1);
  });

  it.each([
    ['parsed', LARGE],
    ['refused', Buffer.alloc(LARGE.length, NO_UTF8)],
  ])('give their memory back once they are %s, before V8 collects it', async (_, body) => {
    const emptied = jest.spyOn(ArrayBuffer.prototype, 'resize');
    await guard.canActivate(contextOf('a', body)).catch(() => undefined);
    expect(emptied.mock.calls).toEqual([[0]]);
    expect(begun.decode).toHaveLength(1);
  });

  it.each([
    ['no place is free again', { place: { party: 'broker', comeBack: () => Promise.reject(new Error('busy')) } }],
    ['no media type came with them', { headers: {} }],
  ])('give their memory back once the request is over, where %s', async (_, also) => {
    const emptied = jest.spyOn(ArrayBuffer.prototype, 'resize');
    const context = contextOf('a', LARGE);
    const http = context.switchToHttp();
    const request = http.getRequest<RegistryRequest>();
    Object.assign(request, also);
    Object.assign(request.place as object, { stepOut: () => undefined });
    await expect(guard.canActivate(context)).rejects.toThrow();
    for (const act of http.getResponse<RegistryResponse>().whenOver) act();
    expect(emptied.mock.calls).toEqual([[0]]);
    expect(begun.decode).toEqual([]);
  });

  it('are whole where their clients go once they are worked on', async () => {
    const context = contextOf('a', LARGE);
    const request = context.switchToHttp().getRequest<RegistryRequest>();
    Object.assign(request, { method: 'POST' });
    Object.assign(request.headers, { 'idempotency-key': 'k' });
    const reading = guard.canActivate(context);
    while (begun.decode.length === 0) await turn();
    for (const act of context.switchToHttp().getResponse<RegistryResponse>().whenOver) act();
    await reading;
    expect(takeBytes(request)).toHaveLength(LARGE.length);
  });

  it('are not looked at where their clients have gone', async () => {
    await expect(guard.canActivate(contextOf('a', LARGE, [], true))).rejects.toMatchObject({ status: 503 });
    expect(begun).toEqual({ decode: [], parse: [] });
  });

  it('are let past by small ones', async () => {
    const small = contextOf('b', Buffer.from('{"data":{}}'));
    const over: string[] = [];
    const pass = async (name: string, context: ExecutionContext): Promise<void> => {
      await guard.canActivate(context);
      over.push(name);
    };
    await Promise.all([pass('large', contextOf('a', LARGE)), pass('small', small)]);
    expect(over).toEqual(['small', 'large']);
  });
});
