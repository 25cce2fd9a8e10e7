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
    private readonly progress: Pick<Progress, 'logged' | 'heard' | 'refused'>,
  ) {}

  /** Entries and the position in the log are written atomically. @returns the last written state */
  async run(begun: CopyState, signal: AbortSignal): Promise<CopyState> {
    for (let state = begun; ;) {
      signal.throwIfAborted();
      const place = state.logPlace ?? 0;
      const { states, size } = await this.page(state.logPlace);
      this.progress.heard();
      if (states.some((one, i) => one.place !== place + i))
        throw new SyncError(`The registry sent other entries of its log than those from ${place} on`);
      if (states.length === 0 && state.logPlace !== null) return state;
      const again = await this.erasedBefore(states, place);
      state = { ...state, logPlace: place + states.length, writtenAt: new Date().toISOString() };
      await this.copy.writeLog([...again, ...states.map(logRowOf)], state);
      this.progress.logged(place + states.length, size);
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

  /** An erasure makes a new state, after which earlier ones are fetched again, and replaced if they match their entries. */
  private async erasedBefore(states: readonly LoggedState[], before: number): Promise<LogRow[]> {
    const rows: LogRow[] = [];
    for (const id of new Set(states.filter(isErasure).map(({ entry }) => entry.id))) {
      const later = new Map<number, ReadonlySet<string>>();
      for (const { entry, asset } of states.filter((one) => one.entry.id === id))
        later.set(instantUs(entry.dateModified), ownErasures({ ...asset }, entry));
      const newestUs = Math.max(...later.keys());
      const places = (await this.copy.logPlaces(id)).filter((place) => place < before);
      for (const place of places.toReversed()) {
        const [kept] = await this.copy.logRows(place, place + 1);
        const [state] = (await this.source.page(place, { limit: 1 })).states;
        const fault = faultOfErased(state, kept, later);
        if (state !== undefined && fault === undefined) rows.push(logRowOf(state));
        // If more was erased meanwhile, it is fetched again with the entry of that erasure.
        else if (state === undefined || untilUs(state) <= newestUs)
          this.progress.refused(`The entry at place ${place} of the log (asset ${id}) is kept as it was: ${fault}`);
        if (kept !== undefined && state !== undefined)
          later.set(instantUs(kept.dateModified), ownErasures(assetIn(kept), state.entry));
      }
    }
    return rows;
  }
}

/** The last instant at which a field of a state was erased, as the state says; otherwise its own instant. */
function untilUs({ asset, entry }: LoggedState): number {
  const erasures = laterErasures({ ...asset }, entry).map(({ us }) => us);
  return Math.max(instantUs(entry.dateModified), ...erasures);
}

/** True also for a state that is no longer readable. */
function isErasure({ asset, entry }: LoggedState): boolean {
  return asset === null || ownErasures({ ...asset }, entry).size > 0;
}

/**
 * Why the registry's current state of an entry must not replace the copy's; undefined if it may. An erasure changes no entry, and entries commit to
 * the names and digests of all members, so a valid state differs only in erased members.
 * @param later the erasures that later states of the asset name for their own instants
 */
function faultOfErased(
  state: LoggedState | undefined,
  kept: LogRow | undefined,
  later: ReadonlyMap<number, ReadonlySet<string>>,
): string | undefined {
  if (state === undefined || state.text !== kept?.entry) return 'the registry shows another entry';
  const { asset, entry, opening } = state;
  if (asset === null) return 'the registry shows nothing of it any more';
  const fault = faultOf({ ...asset }, entry, opening);
  if (fault !== undefined) return `of what the registry shows, ${fault}`;
  const isMet = laterErasures({ ...asset }, entry).every(({ pointer, us }) => later.get(us)?.has(pointer));
  return isMet ? undefined : 'no later entry is of the instant at which something was erased of it';
}
