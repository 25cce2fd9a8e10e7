export interface Queued {
  /** Whom it is counted for. Parties share the queue fairly. */
  readonly party: string;
  readonly changes: number;
  /** The memory that it takes while it waits, in bytes. */
  readonly held: number;
  /** The bytes that it takes to serve, at least `held`; undefined until it is served. */
  readonly cost: number | undefined;
}

/** `rest` leaves an item that cannot be served yet, whoever's turn it is. */
export type Verdict = 'take' | 'leave' | 'rest' | 'end';

interface Line<Item> {
  waiting: Item[];
  /** What its served items have cost, counted from the queue's level at its arrival. */
  spent: number;
  /** What a change of its items cost lately: the estimate for the next one. */
  usual: number;
}

/** What a drawing has made of a line. */
interface Turn<Item> {
  line: Line<Item>;
  /** What it will have cost with what was drawn. */
  spent: number;
  /** How many of those that still wait were judged, and how many of them rest. */
  next: number;
  resting: number;
}

/** The fixed cost of each change beside its bytes: it takes about as long as so many bytes. */
const EACH_CHANGE = 8 * 1024;

/**
 * A fair queue: each party has its own line, and the party whose items have cost the least so far comes first. A party that was idle starts
 * at the level of the others, and so cannot save up a share (start-time fair queueing).
 */
export class FairQueue<Item extends Queued> {
  private readonly lines = new Map<string, Line<Item>>();
  private level = 0;
  private items = 0;
  private heldByAll = 0;

  /** @param guess the cost of a change of a party that is not known yet */
  constructor(private readonly guess: number) {}

  get count(): number {
    return this.items;
  }

  get held(): number {
    return this.heldByAll;
  }

  add(item: Item): void {
    const line = this.lineOf(item.party);
    if (line.waiting.length === 0) line.spent = Math.max(line.spent, this.level);
    this.put(item, line.waiting.length);
  }

  /** Puts drawn items back, before all others of their parties. */
  putBack(items: readonly Item[]): void {
    for (const item of items.toReversed()) this.put(item, 0);
  }

  /** @returns whether it was waiting */
  remove(item: Item): boolean {
    const place = this.lines.get(item.party)?.waiting.indexOf(item) ?? -1;
    if (place >= 0) this.takeOut(this.lineOf(item.party), place);
    return place >= 0;
  }

  /**
   * Takes items out in fair order, and those of one party in their own order. For each, `judge` is asked with its estimated cost: it takes
   * the item, leaves it in its place, or ends the drawing. A party of which all items rest is idle, and saves up no share.
   */
  draw(judge: (item: Item, cost: number) => Verdict): Item[] {
    const turns = [...this.lines.values()].map((line) => ({ line, spent: line.spent, next: 0, resting: 0 }));
    const drawn = this.drawIn(turns, judge);
    for (const { line, resting } of turns)
      if (resting > 0 && resting === line.waiting.length) line.spent = Math.max(line.spent, this.level);
    return drawn;
  }

  private drawIn(turns: Turn<Item>[], judge: (item: Item, cost: number) => Verdict): Item[] {
    const drawn: Item[] = [];
    for (;;) {
      const ready = turns.filter(({ line, next }) => next < line.waiting.length);
      if (ready.length === 0) return drawn;
      const turn = ready.reduce((least, other) => (other.spent < least.spent ? other : least));
      const item = turn.line.waiting[turn.next] as Item;
      const cost = item.cost ?? Math.max(item.held, turn.line.usual * item.changes);
      const verdict = judge(item, cost);
      if (verdict === 'end') return drawn;
      if (verdict === 'rest') turn.resting++;
      if (verdict !== 'take') turn.next++;
      else {
        drawn.push(this.takeOut(turn.line, turn.next));
        this.level = Math.max(this.level, turn.spent);
        turn.spent += cost + item.changes * EACH_CHANGE;
      }
    }
  }

  /** Charges the party of a drawn item with what it really cost. */
  spend({ party, changes }: Item, cost: number): void {
    const line = this.lineOf(party);
    line.spent += cost + changes * EACH_CHANGE;
    // The estimate falls slowly: one small item among large ones says little of the next.
    line.usual = Math.max(cost / changes, line.usual / 2);
  }

  private lineOf(party: string): Line<Item> {
    const line = this.lines.get(party) ?? { waiting: [], spent: this.level, usual: this.guess };
    this.lines.set(party, line);
    return line;
  }

  private put(item: Item, place: number): void {
    const line = this.lineOf(item.party);
    line.waiting.splice(place, 0, item);
    this.heldByAll += item.held;
    this.items++;
  }

  private takeOut(line: Line<Item>, place: number): Item {
    const [item] = line.waiting.splice(place, 1) as [Item];
    this.heldByAll -= item.held;
    this.items--;
    return item;
  }

  /**
   * Forgets the parties that have no items and owe nothing: they would start at the level of the others anyway. Not while drawn items are
   * still to be charged: what is known of the costs of their party would be gone.
   */
  forgetPaid(): void {
    for (const [party, { waiting, spent }] of this.lines)
      if (waiting.length === 0 && spent <= this.level) this.lines.delete(party);
  }
}
