import { Inject, Injectable } from '@nestjs/common';
import { SYSTEM_TIMING, WallClock } from '../../feed/clock/wall-clock.js';
import { unavailable } from '../../platform/errors/errors.js';
import { replacedUpToUs } from '../../database/repositories/feed-epoch.js';
import { SettledWatermark } from '../../feed/watermarks.js';
import { SingleFlights } from '../../platform/concurrency/single-flight.js';
import { Events, type EventStream, EventStreamAnswer } from '../../http/event-stream.js';
import type { RegistryRequest } from '../../http/request.js';
import { maxConnections } from '../../http/server.js';
import { RateLimits } from '../../http/limits/rate-limits.js';
import { type Evictable, PerClientSemaphore } from '../../http/limits/per-client-semaphore.js';
import { FeedPages, lastEventUs } from '../feed-pages.js';
import type { LiveUpdates, WaitingRequest } from '../live-updates.js';
import { RegistryTime } from '../../platform/time/registry-time.js';
import type { TailMember } from './change-broadcast.js';
import { NEXT_PAGE, ChangeTail } from './change-tail.js';
import { epochEvent, EventFollower, type FollowerParts } from './event-follower.js';
import { EventPage } from './event-page.js';
import { type FieldChoice, FieldChoices } from './field-choices.js';
import { LIVE_OBSERVER, type LiveObserver } from './live-observer.js';
import { forEachYielding } from './yielding-loop.js';

/** Maximum share of the service's connections that followers may occupy. */
const SHARE_OF_CONNECTIONS = 0.7;
const KEEP_ALIVE_MS = 2_500;
/** Pause before a request that is not caught up reads again: a server of the database may lag. */
const RETRY_MS = 10;
/** Time-out of a connection after the end of its wait. */
const SILENCE_MS = 60_000;

/** Serves clients that follow the listing, by long polling or by a stream of events. Source: contract section 12. */
@Injectable()
export class LiveListing implements LiveUpdates {
  private readonly tail: ChangeTail;
  private readonly parts: FollowerParts;
  private readonly slots = new PerClientSemaphore({ max: Math.floor(maxConnections() * SHARE_OF_CONNECTIONS) });
  private readonly streams = new Set<EventFollower>();
  private readonly choices = new FieldChoices();
  private readonly pages = new SingleFlights<EventPage>();
  private heartbeat: NodeJS.Timeout | undefined;
  private isEnding = false;

  constructor(
    private readonly feed: FeedPages,
    private readonly time: RegistryTime,
    private readonly limits: RateLimits,
    settled: SettledWatermark,
    clock: WallClock,
    @Inject(LIVE_OBSERVER) observer: LiveObserver,
  ) {
    this.tail = new ChangeTail(feed, settled, { time, nowUs: () => clock.nowUs(), observer, timing: SYSTEM_TIMING });
    this.parts = {
      tail: this.tail,
      timing: SYSTEM_TIMING,
      read: (afterUs, choice) => this.read(afterUs, choice),
      charge: (address) => limits.chargePage(address),
    };
  }

  /** Numbers of streams and of waiting requests. */
  get counts(): { streams: number; waits: number } {
    return { streams: this.streams.size, waits: this.slots.count - this.streams.size };
  }

  async wait({ request, caller, afterUs }: WaitingRequest, epoch: string, untilMs: number): Promise<boolean> {
    const leftMs = untilMs - performance.now();
    if (this.isEnding || leftMs <= 0 || caller.isGone()) return false;
    let end: (isNews: boolean) => void = () => undefined;
    const waited = new Promise<boolean>((resolve) => (end = resolve));
    const [succeed, giveUp] = [() => end(true), () => end(false)];
    const member: TailMember & Evictable = {
      us: afterUs,
      epoch,
      choice: undefined,
      receive: succeed,
      wake: succeed,
      evict: giveUp,
    };
    const leaveSlot = this.slots.enter(this.limits.clientOf(request), member);
    const cancel = caller.whenGone(giveUp);
    const timer = setTimeout(giveUp, leftMs);
    request.socket.setTimeout(leftMs + SILENCE_MS);
    // If it cannot join, others have received a page that it has not seen: read again.
    if (!this.tail.join(member)) setTimeout(succeed, RETRY_MS);
    // Clean up before the admission slot is reacquired, which never happens for a client that has gone.
    const result = waited.finally(() => {
      clearTimeout(timer);
      cancel();
      this.tail.leave(member);
      leaveSlot();
    });
    return caller.withoutSlot(result);
  }

  async follow(waiting: WaitingRequest, fields: FieldChoice['fields']): Promise<EventStreamAnswer> {
    const { request, caller, afterUs } = waiting;
    if (this.isEnding || caller.isGone()) throw unavailable('draining');
    if (request.method === 'HEAD') return this.headOf(afterUs);
    const slot = this.enter(request, fields);
    caller.whenGone(slot.leave);
    try {
      const first = await this.read(afterUs, slot.choice);
      if (this.isEnding || slot.isEvicted) throw unavailable('place_lost');
      // The client's last event may be of an earlier epoch.
      const isReplaced = (lastEventUs(request, this.time) ?? Infinity) <= replacedUpToUs(first.epoch);
      return this.answer(first.epoch, (stream) => {
        if (isReplaced) stream.write(Events.of(epochEvent(first.epoch)));
        this.begin(stream, waiting, slot, first);
      });
    } catch (error) {
      slot.leave();
      throw error;
    }
  }

  /** Evicts all followers, and refuses new ones. */
  async end(): Promise<void> {
    this.isEnding = true;
    clearInterval(this.heartbeat);
    await forEachYielding(SYSTEM_TIMING, [...this.slots.all()], (follower) => follower.evict());
  }

  private async headOf(afterUs: number): Promise<EventStreamAnswer> {
    const { epoch } = await this.feed.read({ ...NEXT_PAGE, afterUs, limit: 1 }, (page) => page);
    return this.answer(epoch, () => undefined);
  }

  private answer(epoch: string, begin: (stream: EventStream) => void): EventStreamAnswer {
    return new EventStreamAnswer({ 'Feed-Epoch': epoch, Vary: 'Accept' }, begin);
  }

  /** Separate from `createFollower`, whose closures live as long as the stream and would keep the first page in memory. */
  private begin(stream: EventStream, waiting: WaitingRequest, slot: StreamSlot, first: EventPage): void {
    this.createFollower(stream, waiting, slot, first.epoch).begin(first);
  }

  private createFollower(stream: EventStream, waiting: WaitingRequest, slot: StreamSlot, epoch: string): EventFollower {
    const { caller, afterUs } = waiting;
    const { choice, address } = slot;
    const follower = new EventFollower(this.parts, { stream, caller, address }, choice, afterUs, epoch);
    slot.follower = follower;
    this.streams.add(follower);
    stream.whenOver(() => {
      this.streams.delete(follower);
      slot.leave();
    });
    this.heartbeat ??= setInterval(
      () => void forEachYielding(SYSTEM_TIMING, this.streams, (one) => one.keepAlive()),
      KEEP_ALIVE_MS,
    ).unref();
    return follower;
  }

  /** @throws ApiError 503 */
  private enter(request: RegistryRequest, fields: FieldChoice['fields']): StreamSlot {
    const address = this.limits.clientOf(request);
    const evict = (): void => {
      slot.isEvicted = true;
      slot.follower?.evict();
    };
    const { choice, leave: leaveChoice } = this.choices.enter(address, fields, { evict });
    const slot: StreamSlot = { address, choice, follower: undefined, isEvicted: false, leave: () => undefined };
    try {
      const leaveSlot = this.slots.enter(address, { evict });
      slot.leave = onlyOnce(() => {
        leaveSlot();
        leaveChoice();
      });
    } catch (error) {
      leaveChoice();
      throw error;
    }
    return slot;
  }

  /** The next page as events, read and printed once for concurrent requests. */
  private read(afterUs: number, { fields, key, isWhole }: FieldChoice): Promise<EventPage> {
    const range = { ...NEXT_PAGE, afterUs, whole: isWhole };
    return this.pages.read(`${afterUs} ${key}`, () =>
      this.feed.read(range, (page) => EventPage.print(page, fields, this.time)),
    );
  }
}

/** The limited resources of one stream. */
interface StreamSlot {
  address: string;
  choice: FieldChoice;
  follower: EventFollower | undefined;
  isEvicted: boolean;
  /** Further calls do nothing. */
  leave: () => void;
}

function onlyOnce(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) act();
    isDone = true;
  };
}
