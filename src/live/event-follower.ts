import { ApiError } from '../errors/api-error.js';
import type { Timing } from '../feed/writing/timing.js';
import { Events, type EventStream } from '../http/event-stream.js';
import type { Caller } from '../http/exchange.js';
import { logger, stackOf } from '../logging/logger.js';
import type { ChangeTail } from './change-tail.js';
import type { EventPage } from './event-page.js';
import type { FieldChoice } from './field-choices.js';
import type { Guest } from './follower-places.js';
import type { TailMember } from './handout.js';

/** Before a page is read again where the end of the feed is known to be further than what a server of the database shows. */
const LATE_VIEW_MS = 100;
/** When clients come again: not all in one moment. */
const COME_AGAIN_MS = 1_000;
const WITHIN_MS = 4_000;
/** Proxies and clients take a stream that is silent for long for one that is dead. */
const COMMENT_AFTER_MS = 10_000;
const COMMENT = Events.of(':\n\n');

/** What a follower needs of the way to its client. */
export type FollowedStream = Pick<
  EventStream,
  'isOver' | 'isFull' | 'quietMs' | 'write' | 'drained' | 'end' | 'whenOver'
>;

/** What a follower needs of the service. */
export interface FollowerParts {
  tail: Pick<ChangeTail, 'join' | 'leave'>;
  timing: Pick<Timing, 'sleep'>;
  caller: Pick<Caller, 'idle' | 'stepOut'>;
  /** Reads the page after an instant. @throws ApiError 503 */
  read(afterUs: number): Promise<EventPage>;
  /** Counts a page against the client's rate. @returns for how long it waits before the next, in milliseconds */
  charge(bytes: number): number;
}

/** One client that is sent the feed as events: pages until it is level with the feed's end, and then what comes. */
export class EventFollower implements TailMember, Guest {
  private wakeUp: () => void = () => undefined;

  /** @param us all up to here is known to the client, in microseconds @param epoch the history that it follows */
  constructor(
    private readonly stream: FollowedStream,
    readonly choice: FieldChoice,
    public us: number,
    readonly epoch: string,
    private readonly parts: FollowerParts,
  ) {
    stream.whenOver(() => this.parts.tail.leave(this));
  }

  /** @param first the page after `us`. Nothing keeps a page while it waits for more. */
  begin(first: EventPage): void {
    const sent = this.send(first);
    void this.goOn(sent);
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
    this.wakeUp();
  }

  giveWay(): void {
    this.end(`retry: ${Math.round(COME_AGAIN_MS + Math.random() * WITHIN_MS)}\n\n`);
  }

  /** Called now and then. */
  keepAlive(): void {
    if (this.stream.quietMs >= COMMENT_AFTER_MS && !this.stream.isFull) this.stream.write(COMMENT);
  }

  /** @param sent bytes of the page that it was sent last */
  private async goOn(sent: number): Promise<void> {
    try {
      let restMs = sent === 0 ? LATE_VIEW_MS : 0;
      while (!this.stream.isOver) {
        await this.parts.caller.idle(this.untilMore(restMs), 'anew');
        if (!this.stream.isOver) restMs = await this.readOn();
      }
    } catch (error) {
      if (!(error instanceof ApiError)) logger.error({ stack: stackOf(error) }, 'a follower failed');
      // The database is away, or too much waits: it comes again, as it would after a refusal.
      this.giveWay();
    }
  }

  /** @returns how long it rests before it reads again, unless it is level, in milliseconds */
  private async readOn(): Promise<number> {
    const page = await this.parts.read(this.us);
    if (page.epoch !== this.epoch) {
      this.end(`event: epoch\ndata: ${page.epoch}\n\n`);
      return 0;
    }
    const sent = this.send(page);
    return sent === 0 ? LATE_VIEW_MS : this.parts.charge(sent);
  }

  /** @returns how many bytes it was sent */
  private send(page: EventPage): number {
    const events = page.after(this.us);
    if (events !== undefined) this.stream.write(events);
    this.us = Math.max(this.us, page.lastUs);
    return events?.bytes.length ?? 0;
  }

  private async untilMore(restMs: number): Promise<void> {
    const woken = new Promise<void>((resolve) => (this.wakeUp = resolve));
    if (this.parts.tail.join(this)) await woken;
    else if (restMs > 0) await this.parts.timing.sleep(restMs);
    await this.stream.drained();
  }

  private end(events: string): void {
    this.parts.tail.leave(this);
    this.stream.end(events);
    this.parts.caller.stepOut();
  }
}
