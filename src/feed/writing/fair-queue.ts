export interface Queued {
  readonly account: string;
  readonly changes: number;
  /** Memory in bytes that it occupies while it waits. */
  readonly bytes: number;
  /** Bytes read and written to serve it, at least `bytes`; undefined until it is served. */
  readonly cost: number | undefined;
}

/** `skip` and `backOff` leave an item in the queue; an account whose items all back off counts as idle. `stop` ends the draw. */
export type Verdict = 'take' | 'skip' | 'backOff' | 'stop';

interface AccountQueue<Item> {
  waiting: Item[];
  /** Costs of its served items, on the scale of the queue's virtual time. */
  charged: number;
  /** The estimated cost of its next change, from recent ones. */
  costPerChange: number;
}

/** The progress of a draw in one account's queue. */
interface Cursor<Item> {
  queue: AccountQueue<Item>;
  /** `charged` plus the estimated costs of the items drawn. */
  charged: number;
  /** The index of the next waiting item. */
  next: number;
  backingOff: number;
}

/** Cost of a change in addition to its bytes, in bytes that take about as long. */
const COST_PER_CHANGE = 8 * 1024;

/**
 * A fair queue (start-time fair queueing): the account whose items have cost the least comes first. An account that was idle resumes at the
 * virtual time of the others, so it cannot save up a share.
 */
export class FairQueue<Item extends Queued> {
  private readonly queues = new Map<string, AccountQueue<Item>>();
  private virtualTime = 0;
  private items = 0;
  private totalBytes = 0;

  /** @param initialCost the estimated cost of a change of a new account */
  constructor(private readonly initialCost: number) {}

  get count(): number {
    return this.items;
  }

  get bytes(): number {
    return this.totalBytes;
  }

  add(item: Item): void {
    const queue = this.queueOf(item.account);
    if (queue.waiting.length === 0) queue.charged = Math.max(queue.charged, this.virtualTime);
    this.put(item, queue.waiting.length);
  }

  /** Puts drawn items back, before all others of their accounts. */
  putBack(items: readonly Item[]): void {
    for (const item of items.toReversed()) this.put(item, 0);
  }

  /** @returns whether it was waiting */
  remove(item: Item): boolean {
    const index = this.queues.get(item.account)?.waiting.indexOf(item) ?? -1;
    if (index >= 0) this.takeOut(this.queueOf(item.account), index);
    return index >= 0;
  }

  /**
   * Removes items in fair order, and those of one account in their own order.
   * @param judge called with each item and its estimated cost
   */
  draw(judge: (item: Item, cost: number) => Verdict): Item[] {
    const cursors = [...this.queues.values()].map((queue) => ({
      queue,
      charged: queue.charged,
      next: 0,
      backingOff: 0,
    }));
    const drawn = this.drawWith(cursors, judge);
    for (const { queue, backingOff } of cursors)
      if (backingOff > 0 && backingOff === queue.waiting.length)
        queue.charged = Math.max(queue.charged, this.virtualTime);
    return drawn;
  }

  private drawWith(cursors: Cursor<Item>[], judge: (item: Item, cost: number) => Verdict): Item[] {
    const drawn: Item[] = [];
    for (;;) {
      const ready = cursors.filter(({ queue, next }) => next < queue.waiting.length);
      if (ready.length === 0) return drawn;
      const cursor = ready.reduce((least, other) => (other.charged < least.charged ? other : least));
      const item = cursor.queue.waiting[cursor.next] as Item;
      const cost = item.cost ?? Math.max(item.bytes, cursor.queue.costPerChange * item.changes);
      const verdict = judge(item, cost);
      if (verdict === 'stop') return drawn;
      if (verdict === 'backOff') cursor.backingOff++;
      if (verdict !== 'take') cursor.next++;
      else {
        drawn.push(this.takeOut(cursor.queue, cursor.next));
        this.virtualTime = Math.max(this.virtualTime, cursor.charged);
        cursor.charged += cost + item.changes * COST_PER_CHANGE;
      }
    }
  }

  /** Charges the account of a drawn item with its actual cost. */
  charge({ account, changes }: Item, cost: number): void {
    const queue = this.queueOf(account);
    queue.charged += cost + changes * COST_PER_CHANGE;
    // The estimate falls slowly: one small item among large ones says little about the next.
    queue.costPerChange = Math.max(cost / changes, queue.costPerChange / 2);
  }

  private queueOf(account: string): AccountQueue<Item> {
    const queue = this.queues.get(account) ?? {
      waiting: [],
      charged: this.virtualTime,
      costPerChange: this.initialCost,
    };
    this.queues.set(account, queue);
    return queue;
  }

  private put(item: Item, index: number): void {
    const queue = this.queueOf(item.account);
    queue.waiting.splice(index, 0, item);
    this.totalBytes += item.bytes;
    this.items++;
  }

  private takeOut(queue: AccountQueue<Item>, index: number): Item {
    const [item] = queue.waiting.splice(index, 1) as [Item];
    this.totalBytes -= item.bytes;
    this.items--;
    return item;
  }

  /**
   * Deletes accounts that have no items and are not ahead of the virtual time: they would resume there anyway. Not to be called before drawn
   * items are charged, because that would lose the cost estimates of their accounts.
   */
  forgetIdleAccounts(): void {
    for (const [account, { waiting, charged }] of this.queues)
      if (waiting.length === 0 && charged <= this.virtualTime) this.queues.delete(account);
  }
}
