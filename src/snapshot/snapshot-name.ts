import { hash, randomBytes } from 'node:crypto';

const HISTORY_CHARACTERS = 16;
const MARK_BYTES = 4;
const NAME =
  /^snapshot-(?<history>[0-9a-f]+)-(?<clockUs>\d+)-(?<madeMs>\d+)-(?<pid>\d+)-(?<mark>[0-9a-f]+)\.jsonl\.gz(?<part>\.part)?$/;

/** What the name of a snapshot's file says of it. */
export class SnapshotName {
  private constructor(
    /** Stands for all that the bytes depend on beside the assets: the history that the feed tells, and the zone of its instants. */
    readonly history: string,
    /** The feed's clock at the moment that it shows, in microseconds. */
    readonly clockUs: number,
    /** When that was, by the wall clock. */
    readonly madeMs: number,
    /** The process that made it. */
    readonly pid: number,
    /** No two have the same. */
    private readonly mark: string,
    /** Whether it was not whole when its name was read. */
    readonly isPart: boolean,
  ) {}

  /** Of one that begins to be made by this process. */
  static next(history: string, clockUs: number): SnapshotName {
    return new SnapshotName(history, clockUs, Date.now(), process.pid, randomBytes(MARK_BYTES).toString('hex'), true);
  }

  /** @returns undefined for a file that is none of ours */
  static parse(file: string): SnapshotName | undefined {
    const { history = '', clockUs, madeMs, pid, mark = '', part } = NAME.exec(file)?.groups ?? {};
    if (mark === '') return undefined;
    return new SnapshotName(history, Number(clockUs), Number(madeMs), Number(pid), mark, part !== undefined);
  }

  /** Negative for one of the future: somebody has set the clock back. */
  get ageMs(): number {
    return Date.now() - this.madeMs;
  }

  /** Two processes that are ready together must not take each other's away. */
  isBefore(other: SnapshotName): boolean {
    if (this.ageMs < 0) return this.whole !== other.whole;
    return this.madeMs === other.madeMs ? this.whole < other.whole : this.madeMs < other.madeMs;
  }

  /** Its file once it is whole; the same for all processes. */
  get whole(): string {
    return `snapshot-${this.history}-${this.clockUs}-${this.madeMs}-${this.pid}-${this.mark}.jsonl.gz`;
  }

  /** Its file until then. */
  get part(): string {
    return `${this.whole}.part`;
  }

  /** Strong: of these bytes, and no others. */
  get etag(): string {
    return `"${this.clockUs.toString(36)}-${this.madeMs.toString(36)}-${this.mark}"`;
  }
}

export function historyOf(epoch: string, timeZone: string): string {
  return hash('sha256', `${epoch} ${timeZone}`).slice(0, HISTORY_CHARACTERS);
}
