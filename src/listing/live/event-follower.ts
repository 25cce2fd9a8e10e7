import { ApiError } from '../../platform/errors/api-error.js';
import type { Timing } from '../../feed/clock/wall-clock.js';
import { Events, type EventStream } from '../../http/event-stream.js';
import type { Caller } from '../../http/caller.js';
import type { Evictable } from '../../http/limits/per-client-semaphore.js';
import { logger, stackOf } from '../../platform/logging/logger.js';
import type { TailMember } from './change-broadcast.js';
import type { ChangeTail } from './change-tail.js';
import type { EventPage } from './event-page.js';
import type { FieldChoice } from './field-choices.js';

/** Pause before reading again, if a server of the database does not show the known end of the feed yet. */
const LATE_VIEW_MS = 100;
/** Reconnection time of evicted clients, with jitter. */
const RECONNECT_MS = 1_000;
const RECONNECT_JITTER_MS = 4_000;
/** Proxies and clients consider a silent stream dead. */
const COMMENT_AFTER_MS = 10_000;
const COMMENT = Events.of(':\n\n');

/** Announces a new epoch: the feed's history was replaced. */
export function epochEvent(epoch: string): string {
  return `event: epoch\ndata: ${epoch}\n\n`;
}

export type FollowedStream = Pick<
  EventStream,
  'isOver' | 'isFull' | 'quietMs' | 'write' | 'drained' | 'end' | 'whenOver'
>;

export interface FollowerParts {
  tail: Pick<ChangeTail, 'join' | 'leave'>;
  timing: Pick<Timing, 'sleep'>;
  /** Reads the page after an instant. @throws ApiError 503 */
  read(afterUs: number, choice: FieldChoice): Promise<EventPage>;
  /** Charges a page to the rate limit of an address. @returns the pause before the next page, in milliseconds */
  charge(address: string): number;
}

interface FollowingClient {
  stream: FollowedStream;
  caller: Pick<Caller, 'releaseSlot' | 'reacquireSlot' | 'chargeWork'>;
  /** As known to the rate limits. */
  address: string;
}

/**
 * Sends the feed to one client as events: pages until it is caught up, then live changes. While it waits, this object in the tail is its only
 * memory: no promise, and no suspended function.
 */
export class EventFollower implements TailMember, Evictable {
  private readonly stream: FollowedStream;
  private readonly caller: FollowingClient['caller'];
  private readonly address: string;

  /** @param us the client has everything up to here, in microseconds */
  constructor(
    private readonly parts: FollowerParts,
    { stream, caller, address }: FollowingClient,
    readonly choice: FieldChoice,
    public us: number,
    readonly epoch: string,
  ) {
    this.stream = stream;
    this.caller = caller;
    this.address = address;
    stream.whenOver(() => parts.tail.leave(this));
  }

  /** Sends the first page, and then waits for more. @param first the page after `us` */
  begin(first: EventPage): void {
    const sent = this.send(first);
    this.waitForMore(sent === 0 ? LATE_VIEW_MS : 0);
  }

  receive(page: EventPage): void {
    if (page.epoch === this.epoch && !this.stream.isFull) this.send(page);
    else {
      // It reads the page itself, once its buffer has drained.
      this.parts.tail.leave(this);
      this.wake();
    }
  }

  wake(): void {
    void this.readNext(0);
  }

  evict(): void {
    this.end(`retry: ${Math.round(RECONNECT_MS + Math.random() * RECONNECT_JITTER_MS)}\n\n`);
  }

  /** Sends a comment if the stream was silent for 10 s. Called by a timer. */
  keepAlive(): void {
    if (this.stream.quietMs >= COMMENT_AFTER_MS && !this.stream.isFull) this.stream.write(COMMENT);
  }

  /** Waits at the end of the feed. @param pauseMs before the next read, if it is not caught up */
  private waitForMore(pauseMs: number): void {
    const { stream, caller } = this;
    if (stream.isOver) return;
    caller.releaseSlot();
    if (!this.parts.tail.join(this)) void this.readNext(pauseMs);
  }

  private async readNext(pauseMs: number): Promise<void> {
    const { stream, caller } = this;
    try {
      if (pauseMs > 0) await this.parts.timing.sleep(pauseMs);
      await stream.drained();
      if (!stream.isOver) await caller.reacquireSlot();
      if (!stream.isOver) this.waitForMore(await this.readPage());
    } catch (error) {
      if (!(error instanceof ApiError)) logger.error({ stack: stackOf(error) }, 'a follower failed');
      // The database is away, or the service is overloaded: the client reconnects later.
      this.evict();
    }
  }

  /** @returns the pause before the next read, unless it is caught up then, in milliseconds */
  private async readPage(): Promise<number> {
    const page = await this.parts.read(this.us, this.choice);
    if (page.epoch !== this.epoch) {
      this.end(epochEvent(page.epoch));
      return 0;
    }
    const sent = this.send(page);
    return sent === 0 ? LATE_VIEW_MS : this.parts.charge(this.address);
  }

  /** @returns the number of bytes sent */
  private send(page: EventPage): number {
    const events = page.after(this.us);
    if (events !== undefined) {
      this.stream.write(events);
      this.caller.chargeWork(events.bytes.length);
    }
    this.us = Math.max(this.us, page.lastUs);
    return events?.bytes.length ?? 0;
  }

  private end(events: string): void {
    this.parts.tail.leave(this);
    this.stream.end(events);
    this.caller.releaseSlot();
  }
}
