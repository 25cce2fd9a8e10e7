const MOST = 20;

/** Violations of one invariant as sentences; after the first twenty they are only counted. */
export class Sentences {
  private readonly said: string[] = [];
  private more = 0;

  add(sentence: string): void {
    if (this.said.length < MOST) this.said.push(sentence);
    else this.more += 1;
  }

  get all(): string[] {
    return this.more === 0 ? this.said : [...this.said, `and ${this.more} more`];
  }
}

/** An instant as people read it, with its microseconds. */
export function at(us: number): string {
  if (!Number.isFinite(us)) return String(us);
  return `${new Date(Math.floor(us / 1_000)).toISOString().slice(0, -1)}${String(us % 1_000).padStart(3, '0')}Z`;
}
