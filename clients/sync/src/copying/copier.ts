import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
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

/** Brings a copy to the end of the feed. It may be stopped at any time, because each write includes the position. */
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
   * Copies up to the end of the feed, which is an empty page.
   * @param first the page at the position, if already read
   * @returns the state of the copy at the end, and the empty page
   * @throws SyncError for another epoch
   */
  async toTheEnd(first?: Page): Promise<{ state: CopyState; empty: Page }> {
    if (!this.isBegun) await this.begin();
    const { position, olderThan } = this.current();
    const isEmpty = first === undefined && position === '' && olderThan === null;
    if (isEmpty && this.plan.snapshot && this.plan.filter === null) await this.copySnapshot();
    if (this.current().olderThan !== null) await this.copyOlder();
    const empty = await this.copyChanges(first);
    const state = { ...this.current(), url: this.plan.url, caughtUpAt: now(), follows: this.follows };
    if (state.wholeAt === null) {
      this.progress.step('indexing');
      await this.copy.finish(this.updated({ ...state, wholeAt: now() }));
    } else {
      await this.copy.write([], this.updated(state));
    }
    if (this.plan.log) {
      this.progress.step('log');
      this.state = await new LogCopier(this.client.logFiles, this.copy, this.progress).run(this.current(), this.signal);
    }
    this.progress.step('caught up');
    return { state: this.current(), empty };
  }

  /** Copies until the signal. */
  async follow(): Promise<void> {
    for (let next: Page | undefined; ;) {
      const { empty } = await this.toTheEnd(next);
      const options = this.optionsOf(this.current().position, PAGE, false);
      next = this.checked(await this.feed.pageAfterEnd(empty, options));
      this.follows = this.client.isLive ? 'live' : 'polling';
    }
  }

  /** Reads the end of the feed, and begins a new copy unless there is one. */
  private async begin(): Promise<void> {
    // A filtered feed can be read only oldest first, so its first page is requested, for the epoch.
    const newest = await this.page('', 1, this.plan.filter === null);
    const last =
      newest.entries.length === 0 ? undefined : batchOfPage(newest, this.reader, { beforeUs: Infinity }).last;
    if (this.state === undefined) {
      await this.assertLog();
      await this.copy.begin(this.updated(newState(this.plan, newest.epoch, this.plan.newestFirst ? last : undefined)));
    }
    this.isBegun = true;
    this.countEntries();
  }

  /** Refuses a new copy with a log that the registry lacks, because each run would fail. A resync does what the old copy did. */
  private async assertLog(): Promise<void> {
    const { log, isResync } = this.plan;
    if (log && !isResync && (await this.client.logFiles.identity()) === undefined)
      throw new SyncError('The registry has no log: omit --log', EXIT.usage);
  }

  /** Counts the entries to copy, for the progress. Not awaited; some registries cannot count. */
  private countEntries(): void {
    // The digest counts all assets, not only those that match.
    if (this.plan.filter !== null) return;
    const { position, olderThan } = this.current();
    this.client.digest(olderThan === null ? { from: position } : { to: olderThan }).then(
      ({ count }) => this.progress.expects(count),
      () => undefined,
    );
  }

  /** Copies the snapshot. If it fails, the pages continue from the last position. */
  private async copySnapshot(): Promise<void> {
    this.progress.step('snapshot');
    try {
      const { offset, epoch, texts } = await this.client.snapshot();
      this.checkEpoch(epoch);
      for await (const some of gathered(texts)) {
        this.progress.answered();
        await this.write(batchOfTexts(some, this.reader, this.afterPosition()), {});
        this.signal.throwIfAborted();
      }
      await this.copy.write([], this.updated({ ...this.current(), position: offset }));
    } catch (error) {
      // The snapshot was interrupted, or the registry has none: the pages continue.
      if (!NO_SNAPSHOT.some((kind) => error instanceof kind)) throw error;
    }
  }

  /** Copies newest first to the beginning of the feed, and new changes meanwhile. */
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
    await this.copy.write([], this.updated({ ...this.current(), olderThan: null }));
  }

  /** Copies from the position to the empty page. @param first page, if already read @returns the empty page */
  private async copyChanges(first?: Page): Promise<Page> {
    if (this.current().olderThan === null) this.progress.step('pages');
    let page = first ?? (await this.page(this.current().position, PAGE, false));
    while (page.entries.length > 0) {
      // Requests the next page while this one is written; an error is thrown where it is awaited.
      const next = this.page(page.nextOffset, PAGE, false);
      next.catch(() => undefined);
      await yieldToEventLoop();
      await this.write(batchOfPage(page, this.reader, this.afterPosition()), {});
      page = await next;
    }
    return page;
  }

  private afterPosition(): Bound {
    const { position } = this.current();
    return { afterUs: position === '' ? -Infinity : instantUs(position) };
  }

  /** @param reached members of the state that this write changes; empty if it changes the position */
  private async write({ rows, entries, last }: Batch, reached: Partial<CopyState>): Promise<void> {
    const isForward = reached.olderThan === undefined;
    const isChange = isForward && this.current().olderThan !== null;
    await this.copy.write(
      rows,
      this.updated({ ...this.current(), ...(isForward ? { position: last.offset } : reached) }),
    );
    this.progress.copied(rows.length, isChange ? 0 : entries, rows.at(-1)?.assetId);
    if (isForward) this.progress.reached(last.us);
  }

  private async page(offset: string, limit: number, descending: boolean): Promise<Page> {
    this.signal.throwIfAborted();
    return this.checked(await this.feed.page(this.optionsOf(offset, limit, descending)));
  }

  private optionsOf(offset: string, limit: number, descending: boolean): PageOptions {
    return { offset, limit, descending, fields: this.reader.fields };
  }

  private checked(page: Page): Page {
    this.progress.answered();
    this.checkEpoch(page.epoch);
    return page;
  }

  private checkEpoch(epoch: string): void {
    if (this.state === undefined || this.state.epoch === epoch) return;
    if (this.plan.isResync && !this.isBegun) {
      // The registry was restored or replaced again since this resync began, so it begins again.
      this.state = undefined;
      return;
    }
    throw new SyncError(
      `${this.plan.url} has another history than the copy, because the registry was restored or replaced (epoch ${epoch}, the copy's is ${this.state.epoch}). --resync makes a new copy, which replaces the old one`,
      EXIT.otherHistory,
    );
  }

  private current(): CopyState {
    if (this.state === undefined) throw new Error('The copy was not begun');
    return this.state;
  }

  private updated(state: CopyState): CopyState {
    this.state = { ...state, writtenAt: now() };
    return this.state;
  }
}

function now(): string {
  return new Date().toISOString();
}

/** Combines chunks to the size of a transaction. */
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
