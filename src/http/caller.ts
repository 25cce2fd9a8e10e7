import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { RegistryRequest, RegistryResponse } from './exchange.js';
import { requestIdOf } from './request-head.js';

/** The client that waits for an answer. */
export interface Caller {
  requestId: string;
  /** How long it has waited already, in milliseconds, without the time that its body took to come. */
  waitedMs: number;
  /** Whether the connection has closed before the answer. */
  isGone(): boolean;
  /** Calls `act` if the connection closes before the answer. */
  whenGone(act: () => void): void;
  /** Charges the rate limit for work that the size of the answer does not show. In bytes of an ordinary answer that takes as long. */
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

/** How long the service has let a request wait: the time that its body took to come is the client's. */
export function waitedMs({ arrivedMs, bodyMs }: RegistryRequest): number {
  return performance.now() - arrivedMs - bodyMs;
}
