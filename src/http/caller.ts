import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { beforeDeadline } from './answer-deadline.js';
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
  /** Calls `act` if the connection closes before the answer. @returns a function that cancels it */
  whenGone(act: () => void): () => void;
  /** Waits for something that is no work of the service, without an admission slot. @throws ApiError 503 when it gets none afterwards */
  withoutSlot<Result>(waiting: Promise<Result>): Promise<Result>;
  /** Gives its admission slot to another request, for good or until `reacquireSlot`. The time until then does not count as waited. */
  releaseSlot(): void;
  /** Queues for a slot as a new request does. @throws ApiError 503 when it gets none */
  reacquireSlot(): Promise<void>;
  /** Waits for `work` until the answer is due. @throws ApiError 503 where the work takes longer */
  beforeDeadline<Result>(work: Promise<Result>): Promise<Result>;
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

  worked(bytes: number): void {
    this.response.worked?.(bytes);
  }
}

/** How long the service has let a request wait. */
export function waitedMs({ arrivedMs, idleMs, idleSinceMs }: RegistryRequest): number {
  return (idleSinceMs ?? performance.now()) - arrivedMs - idleMs;
}
