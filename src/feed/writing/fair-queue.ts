/** What waits. */
export interface Queued {
  /** Who it is for: parties share the turns fairly. */
  readonly party: string;
  /** What it takes while it waits. */
  readonly held: number;
  /** What its turn takes; undefined where only the turn will tell. It is not less than what it holds. */
  readonly cost: number | undefined;
}

export type Verdict = 'take' | 'leave' | 'end';

interface Line<Item> {
  waiting: Item[];
  held: number;
  /** What its turns have taken, from the level on at which it came. */
  spent: number;
  /** What its turns took lately: what the next may take. */
  usual: number;
}

/** What a turn takes beside its cost; with bytes, about as long as so many of them. */
const EACH_TURN = 8 * 1024;

/**
 * A queue in which each party has its own line, and the party that has had the least comes first: by what its turns have cost, not by their
 * number. Who comes after a while begins where the others are, and not with what it has saved (start-time fair queueing).
 */
export class FairQueue<Item extends Queued> {
  private readonly lines = new Map<string, Line<Item>>();
  private level = 0;
  private items = 0;
  private heldByAll = 0;

  /** @param guess what a turn costs of a party that had none yet */
  constructor(private readonly guess: number) {}

  get count(): number {
    return this.items;
  }

  get held(): number {
    return this.heldByAll;
  }

  /** What waits of one party. */
  of(party: string): { count: number; held: number } {
    const line = this.lines.get(party);
    return { count: line?.waiting.length ?? 0, held: line?.held ?? 0 };
  }

  add(item: Item): void {
    const line = this.lineOf(item.party);
    if (line.waiting.length === 0) line.spent = Math.max(line.spent, this.level);
    this.put(item, line.waiting.length);
  }

  /** Items that were drawn, and wait again before all others of their parties. */
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
   * Takes items out, in the order in which it is their turn, as `judge` says: it is asked for each, with what its turn may cost. Of one
   * party they come in their order; what is left stays where it is.
   */
  draw(judge: (item: Item, cost: number) => Verdict): Item[] {
    this.forgetPaid();
    const drawn: Item[] = [];
    const turns = [...this.lines.values()].map((line) => ({ line, spent: line.spent, next: 0 }));
    for (;;) {
      const ready = turns.filter(({ line, next }) => next < line.waiting.length);
      if (ready.length === 0) return drawn;
      const turn = ready.reduce((least, other) => (other.spent < least.spent ? other : least));
      const item = turn.line.waiting[turn.next] as Item;
      const cost = item.cost ?? Math.max(item.held, turn.line.usual);
      const verdict = judge(item, cost);
      if (verdict === 'end') return drawn;
      if (verdict === 'leave') turn.next++;
      else {
        drawn.push(this.takeOut(turn.line, turn.next));
        this.level = Math.max(this.level, turn.spent);
        turn.spent += cost + EACH_TURN;
      }
    }
  }

  /** Told what the turn of an item that was drawn has cost. */
  spend({ party }: Item, cost: number): void {
    const line = this.lineOf(party);
    line.spent += cost + EACH_TURN;
    // Slowly down, as a small one among large ones says little of the next.
    line.usual = Math.max(cost, line.usual / 2);
  }

  private lineOf(party: string): Line<Item> {
    const line = this.lines.get(party) ?? { waiting: [], held: 0, spent: this.level, usual: this.guess };
    this.lines.set(party, line);
    return line;
  }

  private put(item: Item, place: number): void {
    const line = this.lineOf(item.party);
    line.waiting.splice(place, 0, item);
    line.held += item.held;
    this.heldByAll += item.held;
    this.items++;
  }

  private takeOut(line: Line<Item>, place: number): Item {
    const [item] = line.waiting.splice(place, 1) as [Item];
    line.held -= item.held;
    this.heldByAll -= item.held;
    this.items--;
    return item;
  }

  /** Of who waits for nothing, and has not had more than the others, nothing needs to be known. */
  private forgetPaid(): void {
    for (const [party, { waiting, spent }] of this.lines)
      if (waiting.length === 0 && spent <= this.level) this.lines.delete(party);
  }
}
