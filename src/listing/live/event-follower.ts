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

/** Before a page is read again where the end of the feed is known to be further than what a server of the database shows. */
const LATE_VIEW_MS = 100;
/** When clients come again: not all in one moment. */
const COME_AGAIN_MS = 1_000;
const WITHIN_MS = 4_000;
/** Proxies and clients take a stream that is silent for long for one that is dead. */
const COMMENT_AFTER_MS = 10_000;
const COMMENT = Events.of(':\n\n');

/** Tells that the history was replaced. */
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
  /** Counts a page against the rate of an address. @returns for how long it waits before the next, in milliseconds */
  charge(address: string): number;
}

/** The client of a stream, as its follower needs it. */
interface FollowingClient {
  stream: FollowedStream;
  caller: Pick<Caller, 'releaseSlot' | 'reacquireSlot' | 'chargeWork'>;
  /** As the rate limits count it. */
  address: string;
}

/**
 * One client that is sent the feed as events: pages until it is level with the feed's end, and then what comes. While it waits there is
 * nothing of it but this object among the members of the tail: no promise, and no function that goes on later.
 */
export class EventFollower implements TailMember, Evictable {
  private readonly stream: FollowedStream;
  private readonly caller: FollowingClient['caller'];
  private readonly address: string;

  /** @param us all up to here is known to the client, in microseconds @param epoch the history that it follows */
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
    this.untilMore(sent === 0 ? LATE_VIEW_MS : 0);
  }

  take(page: EventPage): void {
    if (page.epoch === this.epoch && !this.stream.isFull) this.send(page);
    else {
      // It reads the page itself, and what it was sent before first of all.
      this.parts.tail.leave(this);
      this.wake();
    }
  }

  wake(): void {
    void this.goOn(0);
  }

  evict(): void {
    this.end(`retry: ${Math.round(COME_AGAIN_MS + Math.random() * WITHIN_MS)}\n\n`);
  }

  /** Sends a comment where the stream was silent for 10 s. Called by a timer. */
  keepAlive(): void {
    if (this.stream.quietMs >= COMMENT_AFTER_MS && !this.stream.isFull) this.stream.write(COMMENT);
  }

  /** Waits at the end of the feed. @param restMs before it reads again where it is not level */
  private untilMore(restMs: number): void {
    const { stream, caller } = this;
    if (stream.isOver) return;
    caller.releaseSlot();
    if (!this.parts.tail.join(this)) void this.goOn(restMs);
  }

  private async goOn(restMs: number): Promise<void> {
    const { stream, caller } = this;
    try {
      if (restMs > 0) await this.parts.timing.sleep(restMs);
      await stream.drained();
      if (!stream.isOver) await caller.reacquireSlot();
      if (!stream.isOver) this.untilMore(await this.readOn());
    } catch (error) {
      if (!(error instanceof ApiError)) logger.error({ stack: stackOf(error) }, 'a follower failed');
      // The database is away, or too much waits: it comes again, as it would after a refusal.
      this.evict();
    }
  }

  /** @returns how long it rests before it reads again, unless it is level, in milliseconds */
  private async readOn(): Promise<number> {
    const page = await this.parts.read(this.us, this.choice);
    if (page.epoch !== this.epoch) {
      this.end(epochEvent(page.epoch));
      return 0;
    }
    const sent = this.send(page);
    return sent === 0 ? LATE_VIEW_MS : this.parts.charge(this.address);
  }

  /** @returns how many bytes it was sent */
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
