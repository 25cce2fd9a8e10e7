import { Inject, Injectable } from '@nestjs/common';
import { WallClock } from '../clock/wall-clock.js';
import { unavailable } from '../errors/errors.js';
import { SettledClock } from '../feed/known-clocks.js';
import { SYSTEM_TIMING } from '../feed/writing/timing.js';
import { SingleFlights } from '../feed/single-flight.js';
import { EventStreamAnswer } from '../http/event-stream.js';
import type { RegistryRequest } from '../http/exchange.js';
import { mostConnections } from '../http/server.js';
import { RateLimits } from '../limits/rate-limits.js';
import { needsAssets } from '../listing/entry.js';
import { FeedPages } from '../listing/feed-pages.js';
import type { Live, Waiting } from '../listing/live.js';
import { RegistryTime } from '../time/registry-time.js';
import { AHEAD, ChangeTail } from './change-tail.js';
import { EventFollower } from './event-follower.js';
import { EventPage } from './event-page.js';
import { FollowerPlaces, type Guest } from './follower-places.js';
import type { TailMember } from './handout.js';
import { LIVE_OBSERVER, type LiveObserver } from './live-observer.js';
import { spread } from './spread.js';

/** The share of the service's connections that followers may have. */
const SHARE_OF_CONNECTIONS = 0.7;
/** Every page is printed once for each different choice of fields. */
const MOST_CHOICES = 32;
const KEEP_ALIVE_MS = 2_500;
/** Before who is not level reads again: a server of the database may be late. */
const AGAIN_MS = 10;
/** How long a connection may be silent beyond the time for which it waits. */
const SILENCE_MS = 60_000;

/** Those who follow the listing live: by a wait on each page, or by a stream of events. Source: contract section 12. */
@Injectable()
export class LiveListing implements Live {
  private readonly tail: ChangeTail;
  private readonly places = new FollowerPlaces(Math.floor(mostConnections() * SHARE_OF_CONNECTIONS));
  private readonly streams = new Set<EventFollower>();
  /** How many streams there are of each choice of fields. */
  private readonly choices = new Map<string, number>();
  private readonly pages = new SingleFlights<EventPage>();
  private heartbeat: NodeJS.Timeout | undefined;
  private isEnding = false;

  constructor(
    private readonly feed: FeedPages,
    private readonly time: RegistryTime,
    private readonly limits: RateLimits,
    settled: SettledClock,
    clock: WallClock,
    @Inject(LIVE_OBSERVER) observer: LiveObserver,
  ) {
    this.tail = new ChangeTail(feed, settled, { time, nowUs: () => clock.nowUs(), observer, timing: SYSTEM_TIMING });
  }

  /** How many streams there are, and how many wait for a page. */
  get counts(): { streams: number; waits: number } {
    return { streams: this.streams.size, waits: this.places.count - this.streams.size };
  }

  async wait({ request, caller, afterUs }: Waiting, untilMs: number): Promise<boolean> {
    const restMs = untilMs - performance.now();
    if (this.isEnding || restMs <= 0) return false;
    let end: (isNews: boolean) => void = () => undefined;
    const waited = new Promise<boolean>((resolve) => (end = resolve));
    const member: TailMember & Guest = {
      us: afterUs,
      fields: undefined,
      take: () => end(true),
      wake: () => end(true),
      giveWay: () => end(false),
    };
    const leave = this.places.enter(this.limits.clientOf(request), member);
    caller.whenGone(() => end(false));
    const timer = setTimeout(() => end(false), restMs);
    request.socket.setTimeout(restMs + SILENCE_MS);
    // What it has not seen was given to others while it read.
    if (!this.tail.join(member)) setTimeout(() => end(true), AGAIN_MS);
    // First of all, as a client that has gone never gets its place back.
    const over = waited.finally(() => {
      clearTimeout(timer);
      this.tail.leave(member);
      leave();
    });
    return caller.idle(over);
  }

  async follow({ request, caller, afterUs }: Waiting, fields: EventFollower['fields']): Promise<EventStreamAnswer> {
    if (this.isEnding) throw unavailable();
    const read = (us: number): Promise<EventPage> => this.read(us, fields);
    const first = await read(afterUs);
    let follower: EventFollower | undefined;
    const leave = request.method === 'HEAD' ? nothing : this.enter(request, fields, () => follower?.giveWay());
    caller.whenGone(leave);
    const charge = (bytes: number): number => this.limits.readOn(request, bytes);
    const parts = { tail: this.tail, timing: SYSTEM_TIMING, read, charge };
    return new EventStreamAnswer({ 'Feed-Epoch': first.epoch, Vary: 'Accept' }, (stream) => {
      const begun = new EventFollower(stream, caller, fields, afterUs, parts);
      follower = begun;
      this.streams.add(begun);
      stream.whenOver(() => {
        this.streams.delete(begun);
        leave();
      });
      this.heartbeat ??= setInterval(
        () => void spread(SYSTEM_TIMING, this.streams, (one) => one.keepAlive()),
        KEEP_ALIVE_MS,
      ).unref();
      void begun.run(first);
    });
  }

  /** Lets all go, and answers whoever comes from now on at once. */
  async end(): Promise<void> {
    this.isEnding = true;
    clearInterval(this.heartbeat);
    await spread(SYSTEM_TIMING, [...this.places.all()], (guest) => guest.giveWay());
  }

  /** @returns a function to call when it is over @throws ApiError 503 */
  private enter(request: RegistryRequest, fields: EventFollower['fields'], giveWay: () => void): () => void {
    const choice = String(fields);
    const same = this.choices.get(choice) ?? 0;
    if (same === 0 && this.choices.size >= MOST_CHOICES)
      throw unavailable('Too many different choices of opt_fields are followed: try without, or with *');
    const leave = this.places.enter(this.limits.clientOf(request), { giveWay });
    this.choices.set(choice, same + 1);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      leave();
      const left = (this.choices.get(choice) ?? 0) - 1;
      if (left > 0) this.choices.set(choice, left);
      else this.choices.delete(choice);
    };
  }

  /** The next page as events: read and printed once for all who ask for it at the same time. */
  private read(afterUs: number, fields: EventFollower['fields']): Promise<EventPage> {
    const range = { ...AHEAD, afterUs, whole: needsAssets(fields) };
    return this.pages.read(`${afterUs} ${String(fields)}`, () =>
      this.feed.read(range, (page) => EventPage.print(page, fields, this.time)),
    );
  }
}

const nothing = (): void => undefined;
