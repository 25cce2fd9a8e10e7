import { setTimeout as sleep } from 'node:timers/promises';
import { ASSETS } from '../support/assets.js';
import { EventClient, type SentEvent } from '../support/event-client.js';
import type { Random } from '../support/random.js';
import type { Client } from './client.js';
import { digestOf, instantUs, type ShownAsset } from './content.js';
import { Follower, type History } from './history.js';
import type { RunState } from './synchronisers.js';

/** A style in which real clients follow the event stream. */
interface LiveStyle {
  name: string;
  /** Reconnects to another service. */
  hops?: boolean;
  /** Requests whole assets. */
  whole?: boolean;
}

export const LIVE_STYLES: readonly LiveStyle[] = [{ name: 'live' }, { name: 'live hopping', hops: true, whole: true }];

const REST_MS = 40;
const LOOK_MS = 20;
/** How often it asks, when no event came, whether it has caught up. */
const CATCH_UP_CHECK_SHARE = 0.1;
/** It disconnects by itself, mostly soon: events are lost, if at all, when a follower connects while others receive events. */
const SHORT_SHARE = 0.7;
const SHORT_MS = 300;
const LONG_MS = 5_000;
const DRAINING_MS = 10_000;

/**
 * Follows the event stream over failures, resuming from the last complete event, until a page shows that it has caught up. Events that arrived
 * together are recorded as a page of the listing, so that the same invariants apply; the empty page after the last event too.
 */
export class LiveFollower {
  readonly follower: Follower;
  /** Whether it has reached the end. */
  hasFinished = false;
  private lastID = '';
  private epoch: string | undefined;
  private node: number;

  constructor(
    number: number,
    private readonly style: LiveStyle,
    private readonly random: Random,
    private readonly client: Client,
    private readonly history: History,
    private readonly runState: RunState,
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
    return this.hasFinished || this.runState.over();
  }

  /** @returns undefined without an answer */
  private async open(): Promise<EventClient | undefined> {
    if (this.style.hops) this.node = this.random.int(0, this.client.urls.length - 1);
    const stream = await EventClient.open(this.client.urls[this.node] as string, {
      query: this.style.whole ? '?opt_fields=*' : '',
      headers: this.lastID === '' ? {} : { 'Last-Event-ID': this.lastID },
      signal: AbortSignal.timeout(this.connectionMs()),
    }).catch(() => undefined);
    const status = stream?.answer.statusCode ?? 503;
    if (status !== 200 && status !== 503) this.history.complain(`${this.style.name} was answered ${status}`);
    return stream;
  }

  private connectionMs(): number {
    if (this.runState.draining()) return DRAINING_MS;
    return this.random.int(SHORT_MS / 3, this.random.chance(SHORT_SHARE) ? SHORT_MS : LONG_MS);
  }

  /** Reads until the stream ends, or the follower has caught up. */
  private async follow(stream: EventClient, invoked: number): Promise<void> {
    this.seeEpoch(String(stream.answer.headers['feed-epoch']));
    let processed = 0;
    for (let isEnded = false; !isEnded && !this.isOver();) {
      // Read before the events, so that events that arrived before the end are not lost.
      isEnded = stream.ended !== undefined;
      const events = stream.events.slice(processed);
      processed += events.length;
      this.record(events, invoked);
      if (events.length === 0 && this.random.chance(CATCH_UP_CHECK_SHARE)) await this.checkCaughtUp();
      await sleep(LOOK_MS);
    }
  }

  private record(events: readonly SentEvent[], invoked: number): void {
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

  /** If the page after the last event is empty, all events must have come. */
  private async checkCaughtUp(): Promise<void> {
    const draining = this.runState.draining();
    const path = `${ASSETS}?limit=1&feed=changes&offset=${encodeURIComponent(this.lastID)}`;
    const { status, text, invoked } = await this.client.send(this.node, path);
    if (status !== 200) return;
    const { data } = JSON.parse(text) as { data: unknown[] };
    if (data.length > 0) return;
    this.note({ invoked, from: this.follower.entries.length, offsetUs: this.lastUs, prevUs: this.lastUs, limit: 1 });
    this.hasFinished = draining;
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

  /** Complains about a new epoch: no run replaces the history. */
  private seeEpoch(epoch: string): void {
    this.epoch ??= epoch;
    if (epoch !== this.epoch) this.history.complain(`${this.style.name} follows ${this.epoch} and received ${epoch}`);
  }

  private get lastUs(): number {
    return this.lastID === '' ? NaN : instantUs(this.lastID);
  }
}
