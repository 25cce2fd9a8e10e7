import { isDeepStrictEqual } from 'node:util';
import type { LoggedState } from 'asset-registry-client';
import {
  faultOf,
  instantUs,
  type LogEntry,
  type Opening,
  type ListedErasure,
  listedErasures,
} from 'asset-registry-tlog';
import type { Copy, CopyState } from '../../copies/copy.js';
import { assetIn, type LogRow, logRowOf } from '../../copies/log-row.js';
import { isSameState } from '../same-state.js';
import type { ErasuresCheck } from './erasures-check.js';
import { entryIn, LogRefuted, shownEntry } from './refuted.js';

/** How a copy's log differs from the served one. */
interface LogDifferences {
  /** Entries of which the copy has another version that the registry must have served too. */
  forked: LoggedState[];
  /** States whose statements about erasures so far differ from the copy's. */
  changedErasures: LoggedState[];
  /** Number of other entries that are wrong in the copy. */
  damaged: number;
  /** States of which the copy has fields that were erased later, as they say, without a confirming entry: these are not repaired. */
  erased: LoggedState[];
}

/** Compares the log of a copy with the served one, and repairs it. */
export class KeptLogCheck {
  /** @param dryRun repair nothing */
  constructor(
    private readonly copy: Copy,
    private readonly state: CopyState,
    private readonly dryRun: boolean,
  ) {}

  /**
   * @param states of consecutive entries
   * @param sound those that match their entries
   * @param erasures the erasures that the entries confirm
   */
  async check(
    states: readonly LoggedState[],
    sound: ReadonlySet<LoggedState>,
    erasures: Pick<ErasuresCheck, 'areMet' | 'distrust'>,
  ): Promise<LogDifferences> {
    const upTo = Math.min((states.at(-1)?.place ?? -1) + 1, this.state.logPlace ?? 0);
    const kept = new Map((await this.copy.logRows(states[0]?.place ?? 0, upTo)).map((row) => [row.place, row]));
    const served = states.filter(({ place }) => place < upTo);
    const forked = served.filter(({ place, text }) => isOtherVersion(kept.get(place), text));
    const differing = served.filter(
      (state) => sound.has(state) && !forked.includes(state) && !isSame(logRowOf(state), kept.get(state.place)),
    );
    const changedErasures = differing.filter((state) => hasChangedErasures(state, kept.get(state.place)));
    for (const state of changedErasures) erasures.distrust(state);
    const others = differing.filter((state) => !changedErasures.includes(state));
    const isRight = (state: LoggedState): boolean =>
      erasures.areMet(state) || !isWhatItBinds(kept.get(state.place), state.entry);
    const right = others.filter(isRight);
    if (right.length > 0 && !this.dryRun) await this.copy.writeLog(right.map(logRowOf), this.state);
    return { forked, changedErasures, damaged: right.length, erased: others.filter((state) => !right.includes(state)) };
  }

  /**
   * A copy that was never verified may have more entries than the log.
   * @param keptSize number of entries in the copy before the log's size was requested
   * @throws LogRefuted if the copy had more
   */
  async checkLength(keptSize: number, size: number): Promise<void> {
    if (keptSize <= size) return;
    const [row] = await this.copy.logRows(size, size + 1);
    throw new LogRefuted(
      `The log was cut: the copy keeps ${keptSize} entries and it has ${size}; ${shownEntry(size, entryIn(row?.entry))} is gone`,
      size,
    );
  }
}

function isSame(one: LogRow, other: LogRow | undefined): boolean {
  if (other?.entry !== one.entry || other.opening !== one.opening) return false;
  return other.document === one.document || isSameState(other.document ?? '', one.document ?? '');
}

/** Whether the copy has another entry with its matching state, which no disk error could produce. */
function isOtherVersion(kept: LogRow | undefined, text: string): boolean {
  const entry = kept?.entry === text ? undefined : entryIn(kept?.entry);
  return entry !== undefined && isWhatItBinds(kept, entry);
}

/** Entries do not commit to a state's statements about erasures. Those about earlier instants and its own must not change. */
function hasChangedErasures({ asset, entry }: LoggedState, kept: LogRow | undefined): boolean {
  if (kept === undefined || !isWhatItBinds(kept, entry)) return false;
  return !isDeepStrictEqual(listedUntil({ ...asset }, entry), listedUntil(assetIn(kept), entry));
}

function listedUntil(asset: Record<string, unknown>, { dateModified }: LogEntry): ListedErasure[] {
  return listedErasures(asset).filter(({ us }) => us <= instantUs(dateModified));
}

function isWhatItBinds(kept: LogRow | undefined, entry: LogEntry): boolean {
  if (kept === undefined) return false;
  try {
    return faultOf(assetIn(kept), entry, JSON.parse(kept.opening ?? 'null') as Opening | null) === undefined;
  } catch {
    return false;
  }
}
