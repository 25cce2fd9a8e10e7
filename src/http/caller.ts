import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { RegistryRequest, RegistryResponse } from './request.js';
import { requestIdOf } from './request-head.js';

/** The client that waits for an answer. */
export interface Caller {
  requestId: string;
  /** How long it has waited already, in milliseconds, without the time in which nothing was asked of the service. */
  waitedMs: number;
  /** About how many bytes of memory what it has sent takes until the answer. */
  heldBytes: number;
  /** Whether the connection has closed before the answer. */
  isGone(): boolean;
  /** Calls `act` if the connection closes before the answer. */
  whenGone(act: () => void): void;
  /**
   * Waits for something that is no work of the service, without a place among the requests that are worked on.
   * @param how `anew`: it does not go before those that come for the first time then
   * @throws ApiError 503 when there is no place again afterwards
   */
  idle<Result>(waiting: Promise<Result>, how?: 'anew'): Promise<Result>;
  /** Gives up its place, until `comeBack` where that is called. What comes between is no work of the service. */
  stepOut(): void;
  /** Waits for a place again, without going before requests that wait for their first. @throws ApiError 503 when there is no place again */
  comeBack(): Promise<void>;
  /** Charges the rate limit for work that the size of the answer does not show. In bytes of an ordinary answer that takes as long. */
  worked(bytes: number): void;
}

/** Handler parameter: the caller. */
export const CalledBy = createParamDecorator((_: unknown, context: ExecutionContext): Caller =>
  callerOf(context.switchToHttp().getResponse<RegistryResponse>()),
);

/** The client that waits for `response`. */
export function callerOf(response: RegistryResponse): Caller {
  return new WaitingCaller(response);
}

class WaitingCaller implements Caller {
  constructor(private readonly response: RegistryResponse) {}

  get requestId(): string {
    return requestIdOf(this.response.req);
  }

  get waitedMs(): number {
    return waitedMs(this.response.req);
  }

  get heldBytes(): number {
    return this.response.req.envelope?.held ?? 0;
  }

  isGone(): boolean {
    return this.response.destroyed;
  }

  whenGone(act: () => void): void {
    const { response } = this;
    if (response.destroyed) act();
    else
      response.once('close', () => {
        if (!response.writableEnded) act();
      });
  }

  idle<Result>(waiting: Promise<Result>, how?: 'anew'): Promise<Result> {
    return idle(this.response.req, waiting, how);
  }

  stepOut(): void {
    stepOut(this.response.req);
  }

  comeBack(): Promise<void> {
    return comeBack(this.response.req, 'anew');
  }

  worked(bytes: number): void {
    this.response.worked?.(bytes);
  }
}

/** Gives up the request's place while `waiting` is pending. @throws ApiError 503 when there is no place again afterwards */
export async function idle<Result>(request: RegistryRequest, waiting: Promise<Result>, how?: 'anew'): Promise<Result> {
  stepOut(request);
  const result = await waiting;
  await comeBack(request, how);
  return result;
}

function stepOut(request: RegistryRequest): void {
  request.idleSinceMs ??= performance.now();
  request.place?.stepOut();
}

async function comeBack(request: RegistryRequest, how: 'anew' | undefined): Promise<void> {
  const nowMs = performance.now();
  request.idleMs += nowMs - (request.idleSinceMs ?? nowMs);
  request.idleSinceMs = undefined;
  await request.place?.comeBack(how);
}

/** How long the service has let a request wait. */
export function waitedMs({ arrivedMs, idleMs, idleSinceMs }: RegistryRequest): number {
  return (idleSinceMs ?? performance.now()) - arrivedMs - idleMs;
}
