import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { RegistryRequest, RegistryResponse } from './exchange.js';
import { requestIdOf } from './request-id.js';

/** Who waits for an answer. */
export interface Caller {
  requestId: string;
  /** For how long already, in milliseconds, since all of the request was there. */
  waitedMs: number;
  /** Whether the connection has closed before the answer. */
  isGone(): boolean;
  /** Calls `act` should the connection close before the answer. */
  whenGone(act: () => void): void;
  /** Tells of work that the answer does not show, as the bytes of an ordinary answer that takes as much: rate limits count it. */
  worked(bytes: number): void;
}

/** Handler parameter: the caller. */
export const CalledBy = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  const response = context.switchToHttp().getResponse<RegistryResponse>();
  return {
    requestId: requestIdOf(response.req),
    waitedMs: waitedMs(response.req),
    isGone: () => response.destroyed,
    whenGone: (act) => {
      response.whenOver.push(() => {
        if (!response.writableEnded) act();
      });
    },
    worked: (bytes) => {
      response.workBytes += bytes;
    },
  };
});

/** How long the service has let a request wait; while its body was on the way, the client did. */
export function waitedMs({ arrivedMs, bodyMs }: RegistryRequest): number {
  return performance.now() - arrivedMs - bodyMs;
}
