const MAX_LISTED = 20;

/** Violations of one invariant as sentences; beyond the first twenty they are only counted. */
export class Violations {
  private readonly listed: string[] = [];
  private unlisted = 0;

  add(sentence: string): void {
    if (this.listed.length < MAX_LISTED) this.listed.push(sentence);
    else this.unlisted += 1;
  }

  get all(): string[] {
    return this.unlisted === 0 ? this.listed : [...this.listed, `and ${this.unlisted} more`];
  }
}

/** An instant in ISO 8601 with microseconds. */
export function at(us: number): string {
  if (!Number.isFinite(us)) return String(us);
  return `${new Date(Math.floor(us / 1_000)).toISOString().slice(0, -1)}${String(us % 1_000).padStart(3, '0')}Z`;
}
