import { setTimeout as sleep } from 'node:timers/promises';
import { ASSETS } from '../support/assets.js';
import { EventClient, type SentEvent } from '../support/event-client.js';
import type { Random } from '../support/random.js';
import type { Client } from './client.js';
import { digestOf, instantUs, type ShownAsset } from './content.js';
import { Follower, type History } from './history.js';
import type { Course } from './synchronisers.js';

/** A way in which real clients follow the stream of events. */
interface LiveStyle {
  name: string;
  /** Comes again to another service. */
  hops?: boolean;
  /** Asks for whole assets. */
  whole?: boolean;
}

export const LIVE_STYLES: readonly LiveStyle[] = [{ name: 'live' }, { name: 'live hopping', hops: true, whole: true }];

const REST_MS = 40;
const LOOK_MS = 20;
/** How often it asks, where nothing came, whether there is nothing. */
const LEVEL_SHARE = 0.1;
/** It goes away by itself, mostly soon: what is lost is lost where one comes in while others are given something. */
const SOON_SHARE = 0.7;
const SOON_MS = 300;
const LONGEST_MS = 5_000;
const LONGEST_AT_THE_END_MS = 10_000;

/**
 * Follows the stream of events over failures, always from the last event that came whole, until a page says that there is no more. What
 * came together is kept as a page of the listing, so that the same is held against it: the page after its last event that is empty.
 */
export class LiveFollower {
  readonly follower: Follower;
  /** Whether it came to the end. */
  isThrough = false;
  private lastID = '';
  private epoch: string | undefined;
  private node: number;

  constructor(
    number: number,
    private readonly style: LiveStyle,
    private readonly random: Random,
    private readonly client: Client,
    private readonly history: History,
    private readonly course: Course,
  ) {
    this.follower = new Follower(style.name, number);
    history.followers.push(this.follower);
    this.node = number % client.urls.length;
  }

  async run(): Promise<void> {
    while (!this.isOver()) {
      const invoked = performance.now();
      const stream = await this.open();
      if (stream?.answer.statusCode === 200) await this.follow(stream, invoked);
      stream?.close();
      await sleep(this.random.int(REST_MS, stream?.retryMs ?? 2 * REST_MS));
    }
  }

  private isOver(): boolean {
    return this.isThrough || this.course.over();
  }

  /** @returns nothing where there was no answer */
  private async open(): Promise<EventClient | undefined> {
    if (this.style.hops) this.node = this.random.int(0, this.client.urls.length - 1);
    const stream = await EventClient.open(this.client.urls[this.node] as string, {
      query: this.style.whole ? '?opt_fields=*' : '',
      headers: this.lastID === '' ? {} : { 'Last-Event-ID': this.lastID },
      signal: AbortSignal.timeout(this.patienceMs()),
    }).catch(() => undefined);
    const status = stream?.answer.statusCode ?? 503;
    if (status !== 200 && status !== 503) this.history.complain(`${this.style.name} was answered ${status}`);
    return stream;
  }

  private patienceMs(): number {
    if (this.course.draining()) return LONGEST_AT_THE_END_MS;
    return this.random.int(SOON_MS / 3, this.random.chance(SOON_SHARE) ? SOON_MS : LONGEST_MS);
  }

  /** Until the stream is over, or there is no more. */
  private async follow(stream: EventClient, invoked: number): Promise<void> {
    this.seeEpoch(String(stream.answer.headers['feed-epoch']));
    let taken = 0;
    for (let isEnded = false; !isEnded && !this.isOver();) {
      // What came before the end is there when the end is known.
      isEnded = stream.ended !== undefined;
      const events = stream.events.slice(taken);
      taken += events.length;
      this.take(events, invoked);
      if (events.length === 0 && this.random.chance(LEVEL_SHARE)) await this.mayBeLevel();
      await sleep(LOOK_MS);
    }
  }

  private take(events: readonly SentEvent[], invoked: number): void {
    const { entries } = this.follower;
    const [from, offsetUs] = [entries.length, this.lastUs];
    for (const { event, id, data } of events) {
      if (event === 'epoch') this.seeEpoch(data);
      if (event !== 'change') continue;
      const entry = JSON.parse(data) as ShownAsset;
      if (id !== entry.dateModified) this.history.complain(`the event ${id} shows an asset of ${entry.dateModified}`);
      const digest = this.style.whole ? digestOf(entry) : 0;
      entries.push({ asset: this.history.assetOf(entry.id), us: instantUs(id), digest });
      this.lastID = id;
    }
    const first = entries[from];
    if (first === undefined) return;
    const prevUs = Number.isNaN(offsetUs) ? NaN : first.us;
    this.note({ invoked, from, offsetUs, prevUs, limit: entries.length - from });
  }

  /** Where the page after the last event is empty, all must have come. */
  private async mayBeLevel(): Promise<void> {
    const draining = this.course.draining();
    const path = `${ASSETS}?limit=1&feed=changes&offset=${encodeURIComponent(this.lastID)}`;
    const { status, text, invoked } = await this.client.send(this.node, path);
    if (status !== 200) return;
    const { data } = JSON.parse(text) as { data: unknown[] };
    if (data.length > 0) return;
    this.note({ invoked, from: this.follower.entries.length, offsetUs: this.lastUs, prevUs: this.lastUs, limit: 1 });
    this.isThrough = draining;
  }

  private note(page: { invoked: number; from: number; offsetUs: number; prevUs: number; limit: number }): void {
    const { entries, pages } = this.follower;
    pages.push({
      ...page,
      walk: 0,
      node: this.node,
      returned: performance.now(),
      descending: false,
      nextUs: this.lastUs,
      echoes: true,
      to: entries.length,
    });
  }

  /** Nothing replaces the history in a run. */
  private seeEpoch(epoch: string): void {
    this.epoch ??= epoch;
    if (epoch !== this.epoch) this.history.complain(`${this.style.name} follows ${this.epoch} and is told of ${epoch}`);
  }

  private get lastUs(): number {
    return this.lastID === '' ? NaN : instantUs(this.lastID);
  }
}
