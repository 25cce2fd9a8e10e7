import type { Asset } from './asset-types.js';
import type { Entry, Page } from './page.js';

/** An asset that was published or changed. */
export class Change {
  /** The change after this one, while both wait for their acknowledgement. */
  #next: Change | undefined;
  #isAcknowledged = false;
  readonly #changes: Changes;

  constructor(
    /** As the page has it. */
    readonly entry: Entry,
    /** Which history of the registry it belongs to. */
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

  /** From which the feed goes on after this change. */
  get offset(): string {
    return this.entry.dateModified;
  }

  /** The whole asset, where `fields: '*'` was asked for. */
  get asset(): Asset | undefined {
    return this.isWhole ? (this.entry as Asset) : undefined;
  }

  /** Says that the change was dealt with. Changes may be acknowledged in any order, also when the loop is over. */
  ack(): void {
    this.#isAcknowledged = true;
    this.#changes.advance();
  }

  /** For Changes alone. */
  follow(next: Change): void {
    this.#next = next;
  }

  /** For Changes alone. @returns what waits after it; `this` while it waits itself */
  passed(): Change | undefined {
    return this.#isAcknowledged ? this.#next : this;
  }
}

/**
 * The changes of the feed, the oldest first. A loop begins after the last one that is acknowledged with all before it; a second loop begins there
 * again. Changes that are not acknowledged are remembered: acknowledge all of them, or use `pages`.
 */
export class Changes implements AsyncIterable<Change> {
  #acknowledged: string;
  #first: Change | undefined;
  #last: Change | undefined;

  /**
   * @param pagesFrom reads the pages after an offset
   * @param signal nothing is handed out after it
   */
  constructor(
    from: string,
    private readonly isWhole: boolean,
    private readonly pagesFrom: (offset: string) => AsyncIterable<Page>,
    private readonly signal: AbortSignal | undefined,
  ) {
    this.#acknowledged = from;
  }

  /** The offset of the last change that is acknowledged with all before it: the place to go on from. `from` while there is none. */
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

  /** For Change alone. */
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
