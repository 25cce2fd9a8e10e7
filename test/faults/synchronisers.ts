import { setTimeout as sleep } from 'node:timers/promises';
import { ASSETS } from '../support/assets.js';
import type { Random } from '../support/random.js';
import type { Answer, Client } from './client.js';
import { digestOf, instantUs, type ShownAsset } from './content.js';
import { Follower, type History } from './history.js';

/** A style in which real clients follow the listing. */
interface Style {
  name: string;
  limit: number;
  /** How it asks for the next page: by next_page.path, or by next_page.offset, whose `+` some clients lose. */
  follows: 'path' | 'offset' | 'offset with a lost plus';
  /** Requests each page from another service. */
  hops?: boolean;
  /** First walks back from now, then forward from where it began. */
  backFirst?: boolean;
  /** Sometimes returns to an offset that it saved. */
  restarts?: boolean;
  /** Begins late in the run. */
  startsLate?: boolean;
  /** Accepts an entry only if its dateModified is greater as text. */
  comparesText?: boolean;
  slow?: boolean;
  /** Seconds that an answer may wait for a change. */
  waits?: number;
  /** Asks again at once: only such a reader sees changes that are visible but not yet durable. */
  eager?: boolean;
  /** Requests whole assets in the listing. */
  whole?: boolean;
  /** The share of entries that it also reads by id. */
  details?: number;
}

export const STYLES: readonly Style[] = [
  { name: 'one at a time', limit: 1, follows: 'path' },
  { name: 'sevens', limit: 7, follows: 'offset with a lost plus' },
  { name: 'hundreds with details', limit: 100, follows: 'path', details: 0.05 },
  { name: 'thousands', limit: 1_000, follows: 'offset' },
  { name: 'back and forward', limit: 100, follows: 'path', backFirst: true },
  { name: 'hopping', limit: 50, follows: 'offset', hops: true, whole: true, details: 0.05 },
  { name: 'restarting', limit: 100, follows: 'offset', restarts: true },
  { name: 'late', limit: 500, follows: 'path', startsLate: true, whole: true },
  { name: 'text', limit: 100, follows: 'offset', comparesText: true, hops: true },
  { name: 'slow', limit: 100, follows: 'path', slow: true },
  { name: 'waiting', limit: 100, follows: 'path', waits: 2 },
  { name: 'eager', limit: 100, follows: 'path', eager: true },
];

/** The progress of a run. */
export interface RunState {
  /** From 0 to 1. */
  progress(): number;
  /** True when all writing has ended: the next empty page is the last. */
  draining(): boolean;
  /** True when unfinished synchronisers must stop. */
  over(): boolean;
}

interface PageJson {
  data: (ShownAsset & { id: string; dateModified: string })[];
  next_page: { offset: string; path: string };
  prev_page?: { offset: string; path: string };
}

/** The position of a walk: the path of the next page, and its offset. */
interface Cursor {
  path: string;
  offset: string;
  descending: boolean;
}

const REST_MS = 40;
const RESTART_SHARE = 0.02;
const LATE = 0.4;
const CATCH_UP_LIMIT = 1_000;

/** Follows the listing in one style, over failures, until an empty page after the last write. */
export class Synchroniser {
  readonly follower: Follower;
  /** Whether it has reached the end. */
  hasFinished = false;
  private readonly texts = new Map<number, string>();
  private walk = 0;
  private limit: number;
  private node: number;
  private saved: Cursor;

  constructor(
    number: number,
    private readonly style: Style,
    private readonly random: Random,
    private readonly client: Client,
    private readonly history: History,
    private readonly runState: RunState,
  ) {
    this.follower = new Follower(style.name, number);
    history.followers.push(this.follower);
    this.limit = style.limit;
    this.node = number % client.urls.length;
    this.saved = this.start(false);
  }

  async run(): Promise<void> {
    while (this.style.startsLate && this.runState.progress() < LATE && !this.runState.draining()) await sleep(REST_MS);
    let cursor: Cursor | undefined = this.start(this.style.backFirst === true);
    if (cursor.descending) cursor = await this.walkBack(cursor);
    while (cursor !== undefined && !this.hasFinished) cursor = await this.forward(cursor);
  }

  /** @returns where the walk forward begins: before the first entry of the first page */
  private async walkBack(first: Cursor): Promise<Cursor | undefined> {
    let cursor = first;
    let forward: Cursor | undefined;
    while (!this.runState.over()) {
      const page = await this.page(cursor);
      if (page === undefined) continue;
      const { prev_page: before } = page;
      if (forward === undefined && page.data.length > 0 && before !== undefined) {
        forward = { path: before.path, offset: before.offset, descending: false };
      }
      if (page.data.length === 0) {
        this.walk += 1;
        return forward ?? this.start(false);
      }
      cursor = this.next(page, cursor);
    }
    return undefined;
  }

  private async forward(cursor: Cursor): Promise<Cursor | undefined> {
    if (this.runState.over()) return undefined;
    const draining = this.runState.draining();
    // One entry per page would take hours for a backlog that other styles cover.
    if (draining && this.limit < CATCH_UP_LIMIT) return this.catchUp(cursor);
    const page = await this.page(cursor);
    if (page === undefined) return cursor;
    if (page.data.length === 0) {
      if (draining) this.hasFinished = true;
      else if (!this.style.eager) await sleep(this.random.int(REST_MS / 2, REST_MS));
    }
    if (this.style.slow && !draining) await sleep(this.random.int(50, 300));
    return this.mayRestart(this.next(page, cursor), draining);
  }

  private catchUp(cursor: Cursor): Cursor {
    this.limit = CATCH_UP_LIMIT;
    return { ...cursor, path: this.pathOf(cursor.offset, false) };
  }

  private mayRestart(cursor: Cursor, draining: boolean): Cursor {
    if (!this.style.restarts || draining || !this.random.chance(RESTART_SHARE)) return cursor;
    const back = this.saved;
    this.saved = cursor;
    this.walk += 1;
    return back;
  }

  private start(descending: boolean): Cursor {
    return { path: this.pathOf('', descending), offset: '', descending };
  }

  private next(page: PageJson, { descending }: Cursor): Cursor {
    const { offset, path } = page.next_page;
    return { offset, descending, path: this.style.follows === 'path' ? path : this.pathOf(offset, descending) };
  }

  private pathOf(offset: string, descending: boolean): string {
    const encoded = encodeURIComponent(offset);
    const sent = this.style.follows === 'offset with a lost plus' ? encoded.replace('%2B', '+') : encoded;
    const whole = this.style.whole ? '&opt_fields=*' : '';
    const waits = this.style.waits === undefined ? '' : `&wait=${this.style.waits}`;
    const query = `limit=${this.limit}&feed=changes&descending=${descending ? '1' : ''}&offset=${sent}`;
    return `${ASSETS}?${query}${whole}${waits}`;
  }

  /** @returns undefined without an answer, after a short pause */
  private async page(cursor: Cursor): Promise<PageJson | undefined> {
    if (this.style.hops) this.node = this.random.int(0, this.client.urls.length - 1);
    const { node, walk } = this;
    const answer = await this.client.send(node, cursor.path);
    if (answer.status !== 200) {
      if (answer.status !== 503 && answer.status !== 0) {
        this.history.complain(`${cursor.path} was answered ${answer.status}: ${answer.text}`);
      }
      await sleep(this.random.int(REST_MS, 2 * REST_MS));
      return undefined;
    }
    const page = JSON.parse(answer.text) as PageJson;
    this.record(page, cursor, answer, { node, walk });
    await this.readDetails(page);
    return page;
  }

  private record(page: PageJson, cursor: Cursor, answer: Answer, at: { node: number; walk: number }): void {
    const { entries, pages } = this.follower;
    const from = entries.length;
    for (const entry of page.data) {
      const [asset, us] = [this.history.assetOf(entry.id), instantUs(entry.dateModified)];
      if (Number.isNaN(us)) this.history.complain(`${this.style.name} was shown the time ${entry.dateModified}`);
      entries.push({ asset, us, digest: this.style.whole ? digestOf(entry) : 0 });
      if (this.style.comparesText && !cursor.descending) this.compareText(asset, entry.dateModified);
    }
    const last = pages.at(-1);
    // An empty page repeats all that the same empty page before it showed, so it replaces that one.
    const repeats = last !== undefined && last.from === last.to && entries.length === from && last.echoes;
    if (repeats && last.walk === at.walk && Object.is(last.offsetUs, offsetUs(cursor.offset))) pages.pop();
    pages.push({
      ...at,
      invoked: answer.invoked,
      returned: answer.returned,
      limit: this.limit,
      descending: cursor.descending,
      offsetUs: offsetUs(cursor.offset),
      nextUs: offsetUs(page.next_page.offset),
      prevUs: offsetUs(page.prev_page?.offset ?? ''),
      echoes: page.next_page.offset === cursor.offset,
      from,
      to: entries.length,
    });
  }

  /** A client that compares texts must see the same order: it would discard an entry that looks older. */
  private compareText(asset: number, text: string): void {
    const before = this.texts.get(asset);
    if (before !== undefined && text < before) {
      this.history.complain(`as text, ${text} comes before ${before}, which the same client was shown earlier`);
    }
    this.texts.set(asset, text);
  }

  private async readDetails(page: PageJson): Promise<void> {
    if (this.style.details === undefined) return;
    for (const { id, dateModified } of page.data) {
      if (!this.random.chance(this.style.details)) continue;
      const node = this.style.hops ? this.random.int(0, this.client.urls.length - 1) : this.node;
      await this.client.readDetail(node, this.follower.number, id, instantUs(dateModified));
    }
  }
}

function offsetUs(offset: string): number {
  return offset === '' ? NaN : instantUs(offset);
}
