import type { LoggedState, LogPage } from 'asset-registry-client';
import { instantUs } from 'asset-registry-tlog';
import type { AssetRow, Entry } from '../../asset-row.js';
import type { Evidence } from '../evidence.js';

export const LISTED_DIFFERENTLY = "the copy and the registry's listing do not match the entry";
export const CHANGED_ERASURES = 'the copy has another list of its erased fields';
/** Maximum states per page. */
const MAX_STATES = 1_000;

/** The newest entry of an asset. */
interface NewestEntry {
  place: number;
  us: number;
}

/** Answers of the log about assets in which copy and registry differ. */
interface LogAnswers {
  /** @returns states of the log from an index on, which match its tiles */
  page: (place: number, limit: number) => Promise<LogPage['states']>;
  /** Whether the registry's state matches its entry. */
  isSound: (state: LoggedState) => boolean;
  isSame: (state: LoggedState, row: AssetRow) => boolean;
  /** Whether the copy has the same state with another list of erased fields. */
  hasChangedErasures: (row: AssetRow) => Promise<boolean>;
  /** Called once for each state that matches its entry. @param why the fault of the registry's listing, if any */
  listed: (state: LoggedState, why: string | undefined) => void;
}

/** Allows overwriting only with states that match an entry of the log, and removing only assets without an entry. */
export class LoggedEvidence implements Evidence {
  private readonly newest = new Map<string, NewestEntry>();
  private readonly reported = new Set<number>();
  private doneUs = -Infinity;

  constructor(private readonly log: LogAnswers) {}

  /** @param states the next ones of the log @param isDifferent whether copy and registry differ in an asset */
  add(states: readonly LoggedState[], isDifferent: (id: string) => boolean): void {
    for (const { place, entry } of states) {
      this.doneUs = instantUs(entry.dateModified);
      if (isDifferent(entry.id)) this.newest.set(entry.id, { place, us: this.doneUs });
    }
  }

  async replaceable(rows: readonly AssetRow[]): Promise<AssetRow[]> {
    const logged = rows.filter(({ id, feedUs }) => this.newest.get(id)?.us === feedUs);
    const bound: AssetRow[] = [];
    let states: LoggedState[] = [];
    for (const row of logged) {
      const { place } = this.newest.get(row.id) as NewestEntry;
      if (!isAmong(states, place)) states = await this.statesFrom(place, logged.at(-1) as AssetRow);
      const state = states.find((one) => one.place === place) as LoggedState;
      if (!this.log.isSound(state)) continue;
      const why = await this.faultOf(state, row);
      if (why === undefined) bound.push(row);
      if (!this.reported.has(place)) this.log.listed(state, why);
      this.reported.add(place);
    }
    return bound;
  }

  private async faultOf(state: LoggedState, row: AssetRow): Promise<string | undefined> {
    if (!this.log.isSame(state, row)) return LISTED_DIFFERENTLY;
    return (await this.log.hasChangedErasures(row)) ? CHANGED_ERASURES : undefined;
  }

  /** Keeps assets after the last entry, which may still be logged. Removes rows after the copy's position, which the registry never listed. */
  removable(entries: readonly Entry[], upToUs: number): Entry[] {
    return entries.filter(({ id, feedUs }) => !this.newest.has(id) && (feedUs <= this.doneUs || feedUs > upToUs));
  }

  private statesFrom(place: number, last: AssetRow): Promise<LoggedState[]> {
    const { place: lastPlace } = this.newest.get(last.id) as NewestEntry;
    return this.log.page(place, Math.min(lastPlace - place + 1, MAX_STATES));
  }
}

function isAmong(states: readonly LoggedState[], place: number): boolean {
  const [first, last] = [states[0], states.at(-1)];
  return first !== undefined && last !== undefined && first.place <= place && place <= last.place;
}
