import { setImmediate as turn } from 'node:timers/promises';
import {
  ConnectionFailed,
  type FilteredPages,
  type Page,
  type PageOptions,
  type RegistryClient,
  RegistryError,
  UnexpectedAnswer,
} from 'asset-registry-client';
import { instantUs } from 'asset-registry-tlog';
import { RowReader } from '../asset-row.js';
import type { Copy, CopyState, Following } from '../copies/copy.js';
import type { Progress } from '../progress/progress.js';
import { EXIT, SyncError } from '../sync-error.js';
import { type Batch, type Bound, batchOfPage, batchOfTexts } from './batch.js';
import { feedOf } from './filter.js';
import { LogCopier } from './log-copier.js';
import { newState } from './new-state.js';
import type { Plan } from './plan.js';

const PAGE = 1_000;
/** While old assets are copied, newest first, changes are fetched once per this many pages. */
const PAGES_BETWEEN_CHANGES = 10;
/** Characters of the snapshot's text per transaction. */
const CHARACTERS = 8_000_000;
const NO_SNAPSHOT = [RegistryError, ConnectionFailed, UnexpectedAnswer];

/** Brings a copy to the end of the feed. Each write includes the position, so it may be stopped at any time. */
export class Copier {
  private readonly reader: RowReader;
  private readonly feed: FilteredPages;
  private isBegun = false;
  private follows: Following | null = null;

  constructor(
    private readonly client: RegistryClient,
    private readonly copy: Copy,
    private state: CopyState | undefined,
    private readonly plan: Plan,
    private readonly progress: Progress,
    private readonly signal: AbortSignal,
  ) {
    this.reader = new RowReader(plan);
    this.feed = feedOf(client, plan.filter);
  }

  /**
   * Copies until the empty page.
   * @param first the page at the position, if already read
   * @returns the copy's state then, and the empty page
   * @throws SyncError for another epoch
   */
  async toTheEnd(first?: Page): Promise<{ state: CopyState; empty: Page }> {
    if (!this.isBegun) await this.begin();
    const { position, olderThan } = this.current();
    const isEmpty = first === undefined && position === '' && olderThan === null;
    if (isEmpty && this.plan.snapshot && this.plan.filter === null) await this.takeSnapshot();
    if (this.current().olderThan !== null) await this.copyOlder();
    const empty = await this.copyChanges(first);
    const state = { ...this.current(), url: this.plan.url, caughtUpAt: now(), follows: this.follows };
    if (state.wholeAt === null) {
      this.progress.step('indexing');
      await this.copy.finish(this.keep({ ...state, wholeAt: now() }));
    } else {
      await this.copy.write([], this.keep(state));
    }
    if (this.plan.log) {
      this.progress.step('log');
      this.state = await new LogCopier(this.client.logFiles, this.copy, this.progress).run(this.current(), this.signal);
    }
    this.progress.step('caught up');
    return { state: this.current(), empty };
  }

  /** Copies forever, until the signal. */
  async follow(): Promise<void> {
    for (let next: Page | undefined; ;) {
      const { empty } = await this.toTheEnd(next);
      const asked = this.asked(this.current().position, PAGE, false);
      next = this.checked(await this.feed.pageAfterEnd(empty, asked));
      this.follows = this.client.isLive ? 'live' : 'polling';
    }
  }

  /** Reads the end of the feed, and begins a new copy unless there is one of the registry's epoch. */
  private async begin(): Promise<void> {
    // A filtered feed is only read oldest first; there this page only tells the epoch.
    const newest = await this.page('', 1, this.plan.filter === null);
    const last =
      newest.entries.length === 0 ? undefined : batchOfPage(newest, this.reader, { beforeUs: Infinity }).last;
    if (this.state === undefined) {
      await this.assertLog();
      await this.copy.begin(this.keep(newState(this.plan, newest.epoch, this.plan.newestFirst ? last : undefined)));
    }
    this.isBegun = true;
    this.countAhead();
  }

  /** A new copy with a log that the registry lacks would fail forever. A resync has what the old copy had. */
  private async assertLog(): Promise<void> {
    const { log, isResync } = this.plan;
    if (log && !isResync && (await this.client.logFiles.identity()) === undefined)
      throw new SyncError('The registry has no log: omit --log', EXIT.usage);
  }

  /** Not awaited; a registry that cannot count is copied too. */
  private countAhead(): void {
    // The digest would count all assets.
    if (this.plan.filter !== null) return;
    const { position, olderThan } = this.current();
    this.client.digest(olderThan === null ? { from: position } : { to: olderThan }).then(
      ({ count }) => this.progress.expects(count),
      () => undefined,
    );
  }

  /** Reads as much of the snapshot as possible; after a failure, pages continue from there. */
  private async takeSnapshot(): Promise<void> {
    this.progress.step('snapshot');
    try {
      const { offset, epoch, texts } = await this.client.snapshot();
      this.checkEpoch(epoch);
      for await (const some of gathered(texts)) {
        this.progress.heard();
        await this.write(batchOfTexts(some, this.reader, this.afterPosition()), {});
        this.signal.throwIfAborted();
      }
      await this.copy.write([], this.keep({ ...this.current(), position: offset }));
    } catch (error) {
      // Interrupted, or the registry has no snapshots: pages continue.
      if (!NO_SNAPSHOT.some((kind) => error instanceof kind)) throw error;
    }
  }

  /** Copies newest first down to the beginning of the feed, and fetches changes meanwhile. */
  private async copyOlder(): Promise<void> {
    this.progress.step('newest first');
    for (let pages = 1; ; pages++) {
      const { olderThan } = this.current();
      const page = await this.page(olderThan as string, PAGE, true);
      if (page.entries.length === 0) break;
      const batch = batchOfPage(page, this.reader, { beforeUs: instantUs(olderThan as string) });
      await this.write(batch, { olderThan: batch.last.offset });
      if (pages % PAGES_BETWEEN_CHANGES === 0) await this.copyChanges();
    }
    await this.copy.write([], this.keep({ ...this.current(), olderThan: null }));
  }

  /** Copies from the position to the empty page. @param first page, if already read @returns the empty one */
  private async copyChanges(first?: Page): Promise<Page> {
    if (this.current().olderThan === null) this.progress.step('pages');
    let page = first ?? (await this.page(this.current().position, PAGE, false));
    while (page.entries.length > 0) {
      // Prefetches the next page while this one is written; its failure is reported below.
      const next = this.page(page.nextOffset, PAGE, false);
      next.catch(() => undefined);
      await turn();
      await this.write(batchOfPage(page, this.reader, this.afterPosition()), {});
      page = await next;
    }
    return page;
  }

  private afterPosition(): Bound {
    const { position } = this.current();
    return { afterUs: position === '' ? -Infinity : instantUs(position) };
  }

  /** @param reached the changed members of the state, if not its position */
  private async write({ rows, entries, last }: Batch, reached: Partial<CopyState>): Promise<void> {
    const isForward = reached.olderThan === undefined;
    const isAside = isForward && this.current().olderThan !== null;
    await this.copy.write(rows, this.keep({ ...this.current(), ...(isForward ? { position: last.offset } : reached) }));
    this.progress.copied(rows.length, isAside ? 0 : entries, rows.at(-1)?.assetId);
    if (isForward) this.progress.reached(last.us);
  }

  private async page(offset: string, limit: number, descending: boolean): Promise<Page> {
    this.signal.throwIfAborted();
    return this.checked(await this.feed.page(this.asked(offset, limit, descending)));
  }

  private asked(offset: string, limit: number, descending: boolean): PageOptions {
    return { offset, limit, descending, fields: this.reader.asked };
  }

  private checked(page: Page): Page {
    this.progress.heard();
    this.checkEpoch(page.epoch);
    return page;
  }

  private checkEpoch(epoch: string): void {
    if (this.state === undefined || this.state.epoch === epoch) return;
    if (this.plan.isResync && !this.isBegun) {
      // The resync began before the history was replaced once more.
      this.state = undefined;
      return;
    }
    throw new SyncError(
      `${this.plan.url} has another history than the copy: the registry was restored or replaced (epoch ${epoch}, the copy's is ${this.state.epoch}). --resync makes a new copy isResync the old one`,
      EXIT.otherHistory,
    );
  }

  private current(): CopyState {
    if (this.state === undefined) throw new Error('The copy was not begun');
    return this.state;
  }

  private keep(state: CopyState): CopyState {
    this.state = { ...state, writtenAt: now() };
    return this.state;
  }
}

function now(): string {
  return new Date().toISOString();
}

/** Collects chunks up to the size of a transaction. */
async function* gathered(chunks: AsyncIterable<string[]>): AsyncGenerator<string[]> {
  let some: string[] = [];
  let characters = 0;
  for await (const chunk of chunks) {
    some.push(...chunk);
    characters += chunk.reduce((sum, text) => sum + text.length, 0);
    if (characters < CHARACTERS) continue;
    yield some;
    some = [];
    characters = 0;
  }
  if (some.length > 0) yield some;
}
