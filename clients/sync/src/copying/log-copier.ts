import { type LoggedState, type LogFiles, type LogPage, NotFound } from 'asset-registry-client';
import { faultOf, instantUs, laterErasures, ownErasures } from 'asset-registry-tlog';
import type { Copy, CopyState } from '../copies/copy.js';
import { assetIn, type LogRow, logRowOf } from '../copies/log-row.js';
import type { Progress } from '../progress/progress.js';
import { SyncError } from '../sync-error.js';

/** Brings the log of a copy to the end of the registry's log. */
export class LogCopier {
  constructor(
    private readonly source: Pick<LogFiles, 'page'>,
    private readonly copy: Copy,
    private readonly progress: Pick<Progress, 'logged' | 'answered' | 'refused'>,
  ) {}

  /** Writes entries and the new `logPlace` atomically. @returns the last written state */
  async run(begun: CopyState, signal: AbortSignal): Promise<CopyState> {
    for (let state = begun; ;) {
      signal.throwIfAborted();
      const from = state.logPlace ?? 0;
      const { states, size } = await this.page(state.logPlace);
      this.progress.answered();
      if (states.some((one, i) => one.place !== from + i))
        throw new SyncError(`The registry sent other entries of its log than those from place ${from}`);
      if (states.length === 0 && state.logPlace !== null) return state;
      const replacements = await this.erasedStates(states, from);
      state = { ...state, logPlace: from + states.length, writtenAt: new Date().toISOString() };
      await this.copy.writeLog([...replacements, ...states.map(logRowOf)], state);
      this.progress.logged(from + states.length, size);
    }
  }

  /** @param from null before the first page of a log */
  private async page(from: number | null): Promise<LogPage> {
    try {
      return await this.source.page(from ?? 0);
    } catch (error) {
      if (!(error instanceof NotFound)) throw error;
      const what = from === null ? 'has no log: omit --log' : 'no longer has a log, but the copy does';
      throw new SyncError(`The registry ${what}. The assets are copied`, undefined, { cause: error });
    }
  }

  /** Returns the erased versions of states in the copy. An erasure logs a new state, so the earlier states of its asset are requested again. */
  private async erasedStates(states: readonly LoggedState[], before: number): Promise<LogRow[]> {
    const rows: LogRow[] = [];
    for (const id of new Set(states.filter(isErasure).map(({ entry }) => entry.id))) {
      const later = new Map<number, ReadonlySet<string>>();
      for (const { entry, asset } of states.filter((one) => one.entry.id === id))
        later.set(instantUs(entry.dateModified), ownErasures({ ...asset }, entry));
      const newestUs = Math.max(...later.keys());
      const places = (await this.copy.logPlaces(id)).filter((place) => place < before);
      for (const place of places.toReversed()) {
        const [copied] = await this.copy.logRows(place, place + 1);
        const [state] = (await this.source.page(place, { limit: 1 })).states;
        const fault = faultOfReplacement(state, copied, later);
        if (state !== undefined && fault === undefined) rows.push(logRowOf(state));
        // After an erasure that is newer than these entries, the state is requested again with that erasure's entry.
        else if (state === undefined || lastErasureUs(state) <= newestUs)
          this.progress.refused(
            `The entry at place ${place} of the log (asset ${id}) is not replaced in the copy: ${fault}`,
          );
        if (copied !== undefined && state !== undefined)
          later.set(instantUs(copied.dateModified), ownErasures(assetIn(copied), state.entry));
      }
    }
    return rows;
  }
}

/** The instant of the last erasure that a state lists; without one, its own instant. */
function lastErasureUs({ asset, entry }: LoggedState): number {
  const erasures = laterErasures({ ...asset }, entry).map(({ us }) => us);
  return Math.max(instantUs(entry.dateModified), ...erasures);
}

/** Whether an entry logs an erasure; assumed if its state is no longer readable. */
function isErasure({ asset, entry }: LoggedState): boolean {
  return asset === null || ownErasures({ ...asset }, entry).size > 0;
}

/**
 * Returns why the registry's state of an entry must not replace the copy's; undefined if it may. An erasure changes no entry, and entries commit to
 * the names and digests of all members, so a valid state differs only in erased members.
 * @param later fields that later states of the asset list as erased at their own instant, by instant
 */
function faultOfReplacement(
  state: LoggedState | undefined,
  copied: LogRow | undefined,
  later: ReadonlyMap<number, ReadonlySet<string>>,
): string | undefined {
  if (state === undefined || state.text !== copied?.entry) return 'the registry shows another entry';
  const { asset, entry, opening } = state;
  if (asset === null) return 'the registry no longer shows the state';
  const fault = faultOf({ ...asset }, entry, opening);
  if (fault !== undefined) return `in the registry's state, ${fault}`;
  const isMet = laterErasures({ ...asset }, entry).every(({ pointer, us }) => later.get(us)?.has(pointer));
  return isMet ? undefined : 'no later entry has the instant of an erasure that the state lists';
}
