import type { IncomingMessage, ServerResponse } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { requestIdOf } from './request-id.js';

/** Who waits for an answer. */
export interface Caller {
  requestId: string;
  /** For how long already, in milliseconds. */
  waitedMs: number;
  /** Aborted when the connection closes before the answer. */
  gone: AbortSignal;
}

const arrivals = new WeakMap<IncomingMessage, number>();

/** Told once, before a request has to wait for anything. */
export function noteArrival(request: IncomingMessage): void {
  arrivals.set(request, performance.now());
}

/** Handler parameter: the caller. */
export const CalledBy = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  const http = context.switchToHttp();
  const request = http.getRequest<IncomingMessage>();
  const waitedMs = performance.now() - (arrivals.get(request) ?? performance.now());
  return { requestId: requestIdOf(request), waitedMs, gone: whenGone(http.getResponse<ServerResponse>()) };
});

function whenGone(response: ServerResponse): AbortSignal {
  if (response.destroyed) return AbortSignal.abort();
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableEnded) gone.abort();
  });
  return gone.signal;
}
