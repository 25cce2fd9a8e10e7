import { isDeepStrictEqual } from 'node:util';
import { type LoggedState, type LogFiles, type LogPage, NotFound } from 'asset-registry-client';
import type { Copy, CopyState } from '../copies/copy.js';
import { type LogRow, logRowOf } from '../copies/log-row.js';
import { SyncError } from '../sync-error.js';
import type { CopyObserver } from './observer.js';

/** What tells that something of an asset was erased. */
interface Redactable {
  redacted?: readonly unknown[];
}

/** Brings the log of a copy to the end that the registry's has. */
export class LogCopier {
  constructor(
    private readonly source: Pick<LogFiles, 'page'>,
    private readonly copy: Copy,
    private readonly observer: Pick<CopyObserver, 'logged' | 'heard'>,
  ) {}

  /** Entries and the place in the log are written together. @returns the state that was written last */
  async run(begun: CopyState, signal: AbortSignal): Promise<CopyState> {
    for (let state = begun; ;) {
      signal.throwIfAborted();
      const place = state.logPlace ?? 0;
      const { states, size } = await this.page(state.logPlace);
      this.observer.heard();
      if (states.some((one, i) => one.place !== place + i))
        throw new SyncError(`The registry sent other entries of its log than those from ${place} on`);
      if (states.length === 0 && state.logPlace !== null) return state;
      const again = await this.changedBefore(states, place);
      state = { ...state, logPlace: place + states.length, writtenAt: new Date().toISOString() };
      await this.copy.writeLog([...again, ...states.map(logRowOf)], state);
      this.observer.logged(place + states.length, size);
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

  /** To erase makes a new state. The earlier ones are fetched again then, as the registry shows them now. */
  private async changedBefore(states: readonly LoggedState[], before: number): Promise<LogRow[]> {
    const newest = new Map(states.map((state) => [state.entry.id, state.asset as Redactable | null]));
    const rows: LogRow[] = [];
    for (const [id, asset] of newest) {
      if (asset !== null && (asset.redacted ?? []).length === 0) continue;
      const places = (await this.copy.logPlaces(id)).filter((place) => place < before);
      if (places.length === 0 || (await this.isKnown(places.at(-1) as number, asset))) continue;
      for (const place of places) {
        const { states: found } = await this.source.page(place, { limit: 1 });
        const [kept] = await this.copy.logRows(place, place + 1);
        // To erase changes no entry: another one is another past, and what is kept is evidence of it.
        for (const state of found) if (state.place === place && state.text === kept?.entry) rows.push(logRowOf(state));
      }
    }
    return rows;
  }

  /** The copy has a state of which the same was erased: the earlier ones were fetched again with it. */
  private async isKnown(place: number, asset: Redactable | null): Promise<boolean> {
    const [row] = await this.copy.logRows(place, place + 1);
    const kept = JSON.parse(row?.document ?? 'null') as Redactable | null;
    return asset !== null && isDeepStrictEqual(kept?.redacted, asset.redacted);
  }
}
