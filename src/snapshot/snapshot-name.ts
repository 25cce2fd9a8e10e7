import { hash, randomBytes } from 'node:crypto';

const HISTORY_CHARACTERS = 16;
const MARK_BYTES = 4;
const NAME =
  /^snapshot-(?<history>[0-9a-f]+)-(?<clockUs>\d+)-(?<madeMs>\d+)-(?<pid>\d+)-(?<mark>[0-9a-f]+)\.(?<format>jsonl|csv|bom\.csv)\.gz(?<part>\.part)?$/;

/** What is in the file, as its name ends: JSON lines, or CSV with or without a byte order mark. */
export const SNAPSHOT_FORMATS = ['jsonl', 'csv', 'bom.csv'] as const;

export type SnapshotFormat = (typeof SNAPSHOT_FORMATS)[number];

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
    readonly format: SnapshotFormat,
    /** Whether it was incomplete when its name was read. */
    readonly isPart: boolean,
  ) {}

  /** The name of a snapshot that this process begins now. */
  static next(history: string, clockUs: number, format: SnapshotFormat): SnapshotName {
    const mark = randomBytes(MARK_BYTES).toString('hex');
    return new SnapshotName(history, clockUs, Date.now(), process.pid, mark, format, true);
  }

  /** @returns undefined for a file that is no snapshot */
  static parse(file: string): SnapshotName | undefined {
    const { history = '', clockUs, madeMs, pid, mark = '', format, part } = NAME.exec(file)?.groups ?? {};
    if (mark === '') return undefined;
    const isPart = part !== undefined;
    const numbers = [clockUs, madeMs, pid].map(Number) as [number, number, number];
    return new SnapshotName(history, ...numbers, mark, format as SnapshotFormat, isPart);
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
    return `snapshot-${this.history}-${this.clockUs}-${this.madeMs}-${this.pid}-${this.mark}.${this.format}.gz`;
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
