import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { beforeDeadline } from './answer-deadline.js';
import type { RegistryRequest, RegistryResponse } from './request.js';
import { requestIdOf } from './request-head.js';

/** The client that waits for an answer. */
export interface Caller {
  requestId: string;
  /** How long it has waited for the service, in milliseconds; time spent on the client's side is not counted. */
  waitedMs: number;
  /** Estimated memory that its body occupies until the answer. */
  bodyMemoryBytes: number;
  /** Whether the connection has closed before the answer. */
  isGone(): boolean;
  /** Calls `act` if the connection closes before the answer. @returns a function that cancels it */
  whenGone(act: () => void): () => void;
  /** Awaits something that costs the service no work, without an admission slot. @throws ApiError 503 if it gets none afterwards */
  withoutSlot<Result>(waiting: Promise<Result>): Promise<Result>;
  /** Frees its admission slot, for good or until `reacquireSlot`. The time until then does not count as waited. */
  releaseSlot(): void;
  /** Queues for a slot as a new request does. @throws ApiError 503 if it gets none */
  reacquireSlot(): Promise<void>;
  /** Waits for `work` until the request's deadline. @throws ApiError 503 if the work takes longer */
  beforeDeadline<Result>(work: Promise<Result>): Promise<Result>;
  /** Charges the rate limit for work that the answer's size does not show. @param bytes size of an ordinary answer that takes as long */
  chargeWork(bytes: number): void;
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

  get bodyMemoryBytes(): number {
    return this.response.req.envelope?.memoryBytes ?? 0;
  }

  isGone(): boolean {
    return this.response.destroyed;
  }

  whenGone(act: () => void): () => void {
    const { response } = this;
    const onClose = (): void => {
      if (!response.writableEnded) act();
    };
    if (response.destroyed) act();
    else response.once('close', onClose);
    return () => void response.off('close', onClose);
  }

  async withoutSlot<Result>(waiting: Promise<Result>): Promise<Result> {
    this.releaseSlot();
    const result = await waiting;
    await this.reacquireSlot();
    return result;
  }

  releaseSlot(): void {
    const { req } = this.response;
    req.idleSinceMs ??= performance.now();
    req.slot?.release();
  }

  async reacquireSlot(): Promise<void> {
    const { req } = this.response;
    const nowMs = performance.now();
    req.idleMs += nowMs - (req.idleSinceMs ?? nowMs);
    req.idleSinceMs = undefined;
    await req.slot?.reacquire();
  }

  beforeDeadline<Result>(work: Promise<Result>): Promise<Result> {
    return beforeDeadline(this.waitedMs, work);
  }

  chargeWork(bytes: number): void {
    this.response.chargeWork?.(bytes);
  }
}

/** How long the service has let a request wait. */
export function waitedMs({ arrivedMs, idleMs, idleSinceMs }: RegistryRequest): number {
  return (idleSinceMs ?? performance.now()) - arrivedMs - idleMs;
}
