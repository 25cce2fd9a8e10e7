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

/** How the log in a copy differs from the registry's. */
interface LogDifferences {
  /** Entries of which the copy has another valid version, which the registry must have served earlier. */
  forked: LoggedState[];
  /** States whose list of erased fields differs from the copy's, up to the state's own instant. */
  changedErasures: LoggedState[];
  /** Number of other entries that are damaged in the copy. */
  damaged: number;
  /** States that list a later erasure which no entry confirms; the copy still has the field, and is not changed. */
  erased: LoggedState[];
}

/** Compares the log in a copy with the registry's, and repairs it. */
export class CopiedLogCheck {
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
    erasures: Pick<ErasuresCheck, 'areConfirmed' | 'distrust'>,
  ): Promise<LogDifferences> {
    const upTo = Math.min((states.at(-1)?.place ?? -1) + 1, this.state.logPlace ?? 0);
    const copied = new Map((await this.copy.logRows(states[0]?.place ?? 0, upTo)).map((row) => [row.place, row]));
    const served = states.filter(({ place }) => place < upTo);
    const forked = served.filter(({ place, text }) => isOtherVersion(copied.get(place), text));
    const differing = served.filter(
      (state) => sound.has(state) && !forked.includes(state) && !isSame(logRowOf(state), copied.get(state.place)),
    );
    const changedErasures = differing.filter((state) => hasChangedErasures(state, copied.get(state.place)));
    for (const state of changedErasures) erasures.distrust(state);
    const others = differing.filter((state) => !changedErasures.includes(state));
    const isRight = (state: LoggedState): boolean =>
      erasures.areConfirmed(state) || !isBoundBy(copied.get(state.place), state.entry);
    const right = others.filter(isRight);
    if (right.length > 0 && !this.dryRun) await this.copy.writeLog(right.map(logRowOf), this.state);
    return { forked, changedErasures, damaged: right.length, erased: others.filter((state) => !right.includes(state)) };
  }

  /**
   * A copy that was never verified may have more entries than the log.
   * @param copiedSize number of entries in the copy before the log's size was requested
   * @throws LogRefuted if the copy had more
   */
  async checkLength(copiedSize: number, size: number): Promise<void> {
    if (copiedSize <= size) return;
    const [row] = await this.copy.logRows(size, size + 1);
    throw new LogRefuted(
      `The log was cut: the copy has ${copiedSize} entries and the log ${size}; ${shownEntry(size, entryIn(row?.entry))} is missing`,
      size,
    );
  }
}

function isSame(one: LogRow, other: LogRow | undefined): boolean {
  if (other?.entry !== one.entry || other.opening !== one.opening) return false;
  return other.document === one.document || isSameState(other.document ?? '', one.document ?? '');
}

/** Whether the copy has another entry with its matching state, which no disk error could produce. */
function isOtherVersion(copied: LogRow | undefined, text: string): boolean {
  const entry = copied?.entry === text ? undefined : entryIn(copied?.entry);
  return entry !== undefined && isBoundBy(copied, entry);
}

/** Entries do not commit to a state's list of erased fields. Its items up to the state's own instant must not change. */
function hasChangedErasures({ asset, entry }: LoggedState, copied: LogRow | undefined): boolean {
  if (copied === undefined || !isBoundBy(copied, entry)) return false;
  return !isDeepStrictEqual(listedUntil({ ...asset }, entry), listedUntil(assetIn(copied), entry));
}

function listedUntil(asset: Record<string, unknown>, { dateModified }: LogEntry): ListedErasure[] {
  return listedErasures(asset).filter(({ us }) => us <= instantUs(dateModified));
}

function isBoundBy(copied: LogRow | undefined, entry: LogEntry): boolean {
  if (copied === undefined) return false;
  try {
    return faultOf(assetIn(copied), entry, JSON.parse(copied.opening ?? 'null') as Opening | null) === undefined;
  } catch {
    return false;
  }
}
