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
import type { LiveUpdates, Waiting } from '../live-updates.js';
import { RegistryTime } from '../../platform/time/registry-time.js';
import type { TailMember } from './change-broadcast.js';
import { AHEAD, ChangeTail } from './change-tail.js';
import { epochEvent, EventFollower, type FollowerParts } from './event-follower.js';
import { EventPage } from './event-page.js';
import { type FieldChoice, FieldChoices } from './field-choices.js';
import { LIVE_OBSERVER, type LiveObserver } from './live-observer.js';
import { forEachYielding } from './yielding-loop.js';

/** The share of the service's connections that followers may have. */
const SHARE_OF_CONNECTIONS = 0.7;
const KEEP_ALIVE_MS = 2_500;
/** Before who is not level reads again: a server of the database may be late. */
const AGAIN_MS = 10;
/** How long a connection may be silent beyond the time for which it waits. */
const SILENCE_MS = 60_000;

/** Those who follow the listing live: by a wait on each page, or by a stream of events. Source: contract section 12. */
@Injectable()
export class LiveListing implements LiveUpdates {
  private readonly tail: ChangeTail;
  private readonly parts: FollowerParts;
  private readonly places = new PerClientSemaphore({ max: Math.floor(maxConnections() * SHARE_OF_CONNECTIONS) });
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

  /** How many streams there are, and how many wait for a page. */
  get counts(): { streams: number; waits: number } {
    return { streams: this.streams.size, waits: this.places.count - this.streams.size };
  }

  async wait({ request, caller, afterUs }: Waiting, epoch: string, untilMs: number): Promise<boolean> {
    const restMs = untilMs - performance.now();
    if (this.isEnding || restMs <= 0 || caller.isGone()) return false;
    let end: (isNews: boolean) => void = () => undefined;
    const waited = new Promise<boolean>((resolve) => (end = resolve));
    const [more, noMore] = [() => end(true), () => end(false)];
    const member: TailMember & Evictable = {
      us: afterUs,
      epoch,
      choice: undefined,
      take: more,
      wake: more,
      evict: noMore,
    };
    const leave = this.places.enter(this.limits.clientOf(request), member);
    const cancel = caller.whenGone(noMore);
    const timer = setTimeout(noMore, restMs);
    request.socket.setTimeout(restMs + SILENCE_MS);
    // What it has not seen was given to others while it read.
    if (!this.tail.join(member)) setTimeout(more, AGAIN_MS);
    // First of all, as a client that has gone never gets its slot back.
    const over = waited.finally(() => {
      clearTimeout(timer);
      cancel();
      this.tail.leave(member);
      leave();
    });
    return caller.withoutSlot(over);
  }

  async follow(waiting: Waiting, fields: FieldChoice['fields']): Promise<EventStreamAnswer> {
    const { request, caller, afterUs } = waiting;
    if (this.isEnding || caller.isGone()) throw unavailable('draining');
    if (request.method === 'HEAD') return this.headOf(afterUs);
    const place = this.enter(request, fields);
    caller.whenGone(place.leave);
    try {
      const first = await this.read(afterUs, place.choice);
      if (this.isEnding || place.isLost) throw unavailable('place_lost');
      // The client's last event may be of a history that was replaced since.
      const isReplaced = (lastEventUs(request, this.time) ?? Infinity) <= replacedUpToUs(first.epoch);
      return this.answer(first.epoch, (stream) => {
        if (isReplaced) stream.write(Events.of(epochEvent(first.epoch)));
        this.begin(stream, waiting, place, first);
      });
    } catch (error) {
      place.leave();
      throw error;
    }
  }

  /** Lets all go, and answers whoever comes from now on at once. */
  async end(): Promise<void> {
    this.isEnding = true;
    clearInterval(this.heartbeat);
    await forEachYielding(SYSTEM_TIMING, [...this.places.all()], (follower) => follower.evict());
  }

  private async headOf(afterUs: number): Promise<EventStreamAnswer> {
    const { epoch } = await this.feed.read({ ...AHEAD, afterUs, limit: 1 }, (page) => page);
    return this.answer(epoch, () => undefined);
  }

  private answer(epoch: string, begin: (stream: EventStream) => void): EventStreamAnswer {
    return new EventStreamAnswer({ 'Feed-Epoch': epoch, Vary: 'Accept' }, begin);
  }

  /** No function that lives as long as the stream is made where the first page is known: it would keep it. */
  private begin(stream: EventStream, waiting: Waiting, place: Place, first: EventPage): void {
    this.follower(stream, waiting, place, first.epoch).begin(first);
  }

  private follower(stream: EventStream, waiting: Waiting, place: Place, epoch: string): EventFollower {
    const { caller, afterUs } = waiting;
    const { choice, address } = place;
    const follower = new EventFollower(this.parts, { stream, caller, address }, choice, afterUs, epoch);
    place.follower = follower;
    this.streams.add(follower);
    stream.whenOver(() => {
      this.streams.delete(follower);
      place.leave();
    });
    this.heartbeat ??= setInterval(
      () => void forEachYielding(SYSTEM_TIMING, this.streams, (one) => one.keepAlive()),
      KEEP_ALIVE_MS,
    ).unref();
    return follower;
  }

  /** @throws ApiError 503 */
  private enter(request: RegistryRequest, fields: FieldChoice['fields']): Place {
    const address = this.limits.clientOf(request);
    const evict = (): void => {
      place.isLost = true;
      place.follower?.evict();
    };
    const { choice, leave: leaveChoice } = this.choices.enter(address, fields, { evict });
    const place: Place = { address, choice, follower: undefined, isLost: false, leave: () => undefined };
    try {
      const leavePlace = this.places.enter(address, { evict });
      place.leave = onlyOnce(() => {
        leavePlace();
        leaveChoice();
      });
    } catch (error) {
      leaveChoice();
      throw error;
    }
    return place;
  }

  /** The next page as events: read and printed once for all who ask for it at the same time. */
  private read(afterUs: number, { fields, key, isWhole }: FieldChoice): Promise<EventPage> {
    const range = { ...AHEAD, afterUs, whole: isWhole };
    return this.pages.read(`${afterUs} ${key}`, () =>
      this.feed.read(range, (page) => EventPage.print(page, fields, this.time)),
    );
  }
}

/** What one stream has of what is bounded. */
interface Place {
  address: string;
  choice: FieldChoice;
  follower: EventFollower | undefined;
  /** Whether it was given to another client. */
  isLost: boolean;
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
