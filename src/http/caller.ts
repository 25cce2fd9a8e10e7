import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { RegistryRequest, RegistryResponse } from './exchange.js';
import { requestIdOf } from './request-id.js';

/** Who waits for an answer. */
export interface Caller {
  requestId: string;
  /** For how long already, in milliseconds. */
  waitedMs: number;
  /** Aborted when the connection closes before the answer. */
  gone: AbortSignal;
}

/** Handler parameter: the caller. */
export const CalledBy = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  const http = context.switchToHttp();
  const request = http.getRequest<RegistryRequest>();
  const waitedMs = performance.now() - request.arrivedMs;
  return { requestId: requestIdOf(request), waitedMs, gone: whenGone(http.getResponse<RegistryResponse>()) };
});

function whenGone(response: RegistryResponse): AbortSignal {
  if (response.destroyed) return AbortSignal.abort();
  const gone = new AbortController();
  response.whenOver.push(() => {
    if (!response.writableEnded) gone.abort();
  });
  return gone.signal;
}
