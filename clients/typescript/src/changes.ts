import type { Asset } from './asset-types.js';
import type { Entry, Page } from './page.js';

/** An asset's publication or change. */
export class Change {
  /** The next change, while both await acknowledgement. */
  #next: Change | undefined;
  #isAcknowledged = false;
  readonly #changes: Changes;

  constructor(
    /** The entry of the page. */
    readonly entry: Entry,
    /** The epoch of the feed that it belongs to. */
    readonly epoch: string,
    private readonly isWhole: boolean,
    changes: Changes,
  ) {
    this.#changes = changes;
  }

  get id(): string {
    return this.entry.id;
  }

  get dateModified(): string {
    return this.entry.dateModified;
  }

  /** The offset after this change. */
  get offset(): string {
    return this.entry.dateModified;
  }

  /** The whole asset, if `fields: '*'` was requested. */
  get asset(): Asset | undefined {
    return this.isWhole ? (this.entry as Asset) : undefined;
  }

  /** Acknowledges the change. Changes may be acknowledged in any order, and after the loop has ended. */
  ack(): void {
    this.#isAcknowledged = true;
    this.#changes.advance();
  }

  /** Internal, for Changes. */
  follow(next: Change): void {
    this.#next = next;
  }

  /** Internal, for Changes. @returns the next change in the queue; `this` if not acknowledged yet */
  passed(): Change | undefined {
    return this.#isAcknowledged ? this.#next : this;
  }
}

/**
 * The changes of the feed, oldest first. A loop begins after the last change up to which all are acknowledged; so does a second loop.
 * Unacknowledged changes stay in memory: acknowledge all of them, or use `pages`.
 */
export class Changes implements AsyncIterable<Change> {
  #acknowledged: string;
  #first: Change | undefined;
  #last: Change | undefined;

  /**
   * @param pagesFrom reads the pages after an offset
   * @param signal no change is yielded after it
   */
  constructor(
    from: string,
    private readonly isWhole: boolean,
    private readonly pagesFrom: (offset: string) => AsyncIterable<Page>,
    private readonly signal: AbortSignal | undefined,
  ) {
    this.#acknowledged = from;
  }

  /** The offset from which to resume: that of the last change up to which all are acknowledged, initially `from`. */
  get acknowledged(): string {
    return this.#acknowledged;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Change, void, undefined> {
    this.#first = this.#last = undefined;
    for await (const page of this.pagesFrom(this.#acknowledged)) {
      for (const entry of page.entries) {
        yield this.wait(new Change(entry, page.epoch, this.isWhole, this));
        this.signal?.throwIfAborted();
      }
    }
  }

  /** Internal, for Change. */
  advance(): void {
    while (this.#first !== undefined) {
      const next = this.#first.passed();
      if (next === this.#first) return;
      this.#acknowledged = this.#first.offset;
      this.#first = next;
    }
  }

  private wait(change: Change): Change {
    if (this.#first === undefined) this.#first = change;
    else this.#last?.follow(change);
    this.#last = change;
    return change;
  }
}
