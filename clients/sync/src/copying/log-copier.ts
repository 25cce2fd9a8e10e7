import { type LoggedState, type LogFiles, type LogPage, NotFound } from 'asset-registry-client';
import { faultOf, instantUs, laterErasures, ownErasures } from 'asset-registry-tlog';
import type { Copy, CopyState } from '../copies/copy.js';
import { assetIn, type LogRow, logRowOf } from '../copies/log-row.js';
import type { Progress } from '../progress/progress.js';
import { SyncError } from '../sync-error.js';

/** Brings the log of a copy to the end that the registry's has. */
export class LogCopier {
  constructor(
    private readonly source: Pick<LogFiles, 'page'>,
    private readonly copy: Copy,
    private readonly progress: Pick<Progress, 'logged' | 'heard' | 'refused'>,
  ) {}

  /** Entries and the place in the log are written together. @returns the state that was written last */
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
      const what = from === null ? 'keeps no log: leave --log out' : 'keeps no log any more, and the copy does';
      throw new SyncError(`The registry ${what}. The assets are copied`, undefined, { cause: error });
    }
  }

  /** To erase makes a new state. The earlier ones are fetched again then, and taken where they are what their entries bind. */
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
        // Where more was erased meanwhile, it is fetched once more with the entry of that.
        else if (state === undefined || untilUs(state) <= newestUs)
          this.progress.refused(`The entry at place ${place} of the log (asset ${id}) is kept as it was: ${fault}`);
        if (kept !== undefined && state !== undefined)
          later.set(instantUs(kept.dateModified), ownErasures(assetIn(kept), state.entry));
      }
    }
    return rows;
  }
}

/** The last instant at which something was erased of a state, as it says; its own where nothing was. */
function untilUs({ asset, entry }: LoggedState): number {
  const erasures = laterErasures({ ...asset }, entry).map(({ us }) => us);
  return Math.max(instantUs(entry.dateModified), ...erasures);
}

/** Also of a state that nobody can read any more. */
function isErasure({ asset, entry }: LoggedState): boolean {
  return asset === null || ownErasures({ ...asset }, entry).size > 0;
}

/**
 * Why what the registry shows of an entry now does not take the place of what is kept of it. To erase changes no entry, and each binds the
 * names and the digests of all members: beside what was erased, nothing of a sound state can be another.
 * @param later what each later state of the asset says was erased at its own instant
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
