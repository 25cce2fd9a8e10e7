import { isDeepStrictEqual } from 'node:util';
import type { LoggedState } from 'asset-registry-client';
import { faultOf, instantUs, type LogEntry, type Opening, type ToldErasure, toldErasures } from 'asset-registry-tlog';
import type { Copy, CopyState } from '../../copies/copy.js';
import { assetIn, type LogRow, logRowOf } from '../../copies/log-row.js';
import { isSameState } from '../same-state.js';
import type { ErasuresCheck } from './erasures-check.js';
import { entryIn, LogRefuted, shownEntry } from './refuted.js';

/** How a kept log is not the one that is served. */
interface KeptOtherwise {
  /** Entries of which the copy keeps other ones that were served, too. */
  forked: LoggedState[];
  /** Those that say something else of what was erased by then than the copy keeps. */
  toldOtherwise: LoggedState[];
  /** How many others the copy does not have like this. */
  damaged: number;
  /** Those of which the copy keeps what was erased later, as they say, and no entry that was met: nothing is mended of them. */
  erased: LoggedState[];
}

/** Compares the log that a copy keeps with the one that is served, and mends it. */
export class KeptLogCheck {
  /** @param dryRun mend nothing */
  constructor(
    private readonly copy: Copy,
    private readonly state: CopyState,
    private readonly dryRun: boolean,
  ) {}

  /**
   * @param states of consecutive places
   * @param sound those among them that are what their entries bind
   * @param erasures what the entries say of them
   */
  async check(
    states: readonly LoggedState[],
    sound: ReadonlySet<LoggedState>,
    erasures: Pick<ErasuresCheck, 'areMet' | 'distrust'>,
  ): Promise<KeptOtherwise> {
    const upTo = Math.min((states.at(-1)?.place ?? -1) + 1, this.state.logPlace ?? 0);
    const kept = new Map((await this.copy.logRows(states[0]?.place ?? 0, upTo)).map((row) => [row.place, row]));
    const served = states.filter(({ place }) => place < upTo);
    const forked = served.filter(({ place, text }) => isOtherServed(kept.get(place), text));
    const differing = served.filter(
      (state) => sound.has(state) && !forked.includes(state) && !isSame(logRowOf(state), kept.get(state.place)),
    );
    const toldOtherwise = differing.filter((state) => isToldOtherwise(state, kept.get(state.place)));
    for (const state of toldOtherwise) erasures.distrust(state);
    const others = differing.filter((state) => !toldOtherwise.includes(state));
    const isRight = (state: LoggedState): boolean =>
      erasures.areMet(state) || !isWhatItBinds(kept.get(state.place), state.entry);
    const right = others.filter(isRight);
    if (right.length > 0 && !this.dryRun) await this.copy.writeLog(right.map(logRowOf), this.state);
    return { forked, toldOtherwise, damaged: right.length, erased: others.filter((state) => !right.includes(state)) };
  }

  /**
   * Whoever never verified may have kept more than there is.
   * @param keptSize how many entries the copy had before the log was asked for its size
   * @throws LogRefuted where it had more
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

/** Whether what is kept is another entry, with the state that it binds: no damage of a disk makes one. */
function isOtherServed(kept: LogRow | undefined, text: string): boolean {
  const entry = kept?.entry === text ? undefined : entryIn(kept?.entry);
  return entry !== undefined && isWhatItBinds(kept, entry);
}

/** No entry binds what a state says of erasures. What it says of those before it, and of its own, it has said since it was made. */
function isToldOtherwise({ asset, entry }: LoggedState, kept: LogRow | undefined): boolean {
  if (kept === undefined || !isWhatItBinds(kept, entry)) return false;
  return !isDeepStrictEqual(toldSoFar({ ...asset }, entry), toldSoFar(assetIn(kept), entry));
}

function toldSoFar(asset: Record<string, unknown>, { dateModified }: LogEntry): ToldErasure[] {
  return toldErasures(asset).filter(({ us }) => us <= instantUs(dateModified));
}

function isWhatItBinds(kept: LogRow | undefined, entry: LogEntry): boolean {
  if (kept === undefined) return false;
  try {
    return faultOf(assetIn(kept), entry, JSON.parse(kept.opening ?? 'null') as Opening | null) === undefined;
  } catch {
    return false;
  }
}
