import type { LoggedState } from 'asset-registry-client';
import type { Copy, CopyState } from '../../copies/copy.js';
import { type LogRow, logRowOf } from '../../copies/log-row.js';

/** Compares the log that a copy keeps with the one that is served, and mends it. */
export class KeptLogCheck {
  /** @param dryRun mend nothing */
  constructor(
    private readonly copy: Copy,
    private readonly state: CopyState,
    private readonly dryRun: boolean,
  ) {}

  /** @param states of consecutive places @returns how many of them the copy does not have like this */
  async check(states: readonly LoggedState[]): Promise<number> {
    const upTo = Math.min((states.at(-1)?.place ?? -1) + 1, this.state.logPlace ?? 0);
    const kept = new Map((await this.copy.logRows(states[0]?.place ?? 0, upTo)).map((row) => [row.place, row]));
    const served = states.filter(({ place }) => place < upTo).map(logRowOf);
    const others = served.filter((row) => !isSame(row, kept.get(row.place)));
    if (others.length > 0 && !this.dryRun) await this.copy.writeLog(others, this.state);
    return others.length;
  }
}

function isSame(one: LogRow, other: LogRow | undefined): boolean {
  return other?.entry === one.entry && other.opening === one.opening && other.document === one.document;
}
