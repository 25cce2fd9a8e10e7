import { hash, randomBytes } from 'node:crypto';

const HISTORY_CHARACTERS = 16;
const MARK_BYTES = 4;
const NAME =
  /^snapshot-(?<history>[0-9a-f]+)-(?<clockUs>\d+)-(?<madeMs>\d+)-(?<pid>\d+)-(?<mark>[0-9a-f]+)\.jsonl\.gz(?<part>\.part)?$/;

/** What the name of a snapshot's file says about it. */
export class SnapshotName {
  private constructor(
    /** Identifies what the bytes depend on beside the assets: the feed's epoch and the registry's time zone. */
    readonly history: string,
    /** The feed's clock at the snapshot's moment, in microseconds. */
    readonly clockUs: number,
    /** The wall clock at that moment, in milliseconds. */
    readonly madeMs: number,
    /** The process that made it. */
    readonly pid: number,
    /** Random: no two snapshots have the same. */
    private readonly mark: string,
    /** Whether it was incomplete when its name was read. */
    readonly isPart: boolean,
  ) {}

  /** The name of a snapshot that this process begins now. */
  static next(history: string, clockUs: number): SnapshotName {
    return new SnapshotName(history, clockUs, Date.now(), process.pid, randomBytes(MARK_BYTES).toString('hex'), true);
  }

  /** @returns undefined for a file that is no snapshot */
  static parse(file: string): SnapshotName | undefined {
    const { history = '', clockUs, madeMs, pid, mark = '', part } = NAME.exec(file)?.groups ?? {};
    if (mark === '') return undefined;
    return new SnapshotName(history, Number(clockUs), Number(madeMs), Number(pid), mark, part !== undefined);
  }

  /** Negative for a snapshot from the future: the clock was set back. */
  get ageMs(): number {
    return Date.now() - this.madeMs;
  }

  /** A total order: two processes that finish together must not remove each other's snapshot. */
  isBefore(other: SnapshotName): boolean {
    if (this.ageMs < 0) return this.whole !== other.whole;
    return this.madeMs === other.madeMs ? this.whole < other.whole : this.madeMs < other.madeMs;
  }

  /** The name of its file once it is complete. */
  get whole(): string {
    return `snapshot-${this.history}-${this.clockUs}-${this.madeMs}-${this.pid}-${this.mark}.jsonl.gz`;
  }

  /** The name of its file until then. */
  get part(): string {
    return `${this.whole}.part`;
  }

  /** A strong tag: it stands for exactly these bytes. */
  get etag(): string {
    return `"${this.clockUs.toString(36)}-${this.madeMs.toString(36)}-${this.mark}"`;
  }
}

export function historyOf(epoch: string, timeZone: string): string {
  return hash('sha256', `${epoch} ${timeZone}`).slice(0, HISTORY_CHARACTERS);
}
