import { instantUs, type LoggedState, type LogPage } from 'asset-registry-client';
import type { AssetRow, Entry } from '../../asset-row.js';
import type { Evidence } from '../evidence.js';

/** The most states of a page. */
const MOST_STATES = 1_000;

/** The newest entry of an asset. */
interface NewestEntry {
  place: number;
  us: number;
}

/** What the log says of the assets of which copy and registry differ. */
interface LogWords {
  /** @returns states of the log from a place on, which are those of its tiles */
  page: (place: number, limit: number) => Promise<LogPage['states']>;
  /** Whether the registry shows what the entry binds. */
  isSound: (state: LoggedState) => boolean;
  isSame: (state: LoggedState, row: AssetRow) => boolean;
  /** Told once of each state that is what its entry binds: whether the registry lists it like this. */
  listed: (state: LoggedState, isSame: boolean) => void;
}

/** Lets a copy be overwritten only with what an entry of the log binds, and keeps the assets that have an entry. */
export class LoggedEvidence implements Evidence {
  private readonly newest = new Map<string, NewestEntry>();
  private readonly told = new Set<number>();
  private doneUs = -Infinity;

  constructor(private readonly log: LogWords) {}

  /** @param states the next ones of the log @param isAsked whether copy and registry differ in an asset */
  add(states: readonly LoggedState[], isAsked: (id: string) => boolean): void {
    for (const { place, entry } of states) {
      this.doneUs = instantUs(entry.dateModified);
      if (isAsked(entry.id)) this.newest.set(entry.id, { place, us: this.doneUs });
    }
  }

  async replaceable(rows: readonly AssetRow[]): Promise<AssetRow[]> {
    const logged = rows.filter(({ id, feedUs }) => this.newest.get(id)?.us === feedUs);
    const bound: AssetRow[] = [];
    let states: LoggedState[] = [];
    for (const row of logged) {
      const { place } = this.newest.get(row.id) as NewestEntry;
      if (!isOn(states, place)) states = await this.statesFrom(place, logged.at(-1) as AssetRow);
      const state = states.find((one) => one.place === place) as LoggedState;
      if (!this.log.isSound(state)) continue;
      const isSame = this.log.isSame(state, row);
      if (isSame) bound.push(row);
      if (!this.told.has(place)) this.log.listed(state, isSame);
      this.told.add(place);
    }
    return bound;
  }

  /** What is behind the last entry may get one yet. Behind the position of the copy the registry never listed anything. */
  removable(entries: readonly Entry[], upToUs: number): Entry[] {
    return entries.filter(({ id, feedUs }) => !this.newest.has(id) && (feedUs <= this.doneUs || feedUs > upToUs));
  }

  private statesFrom(place: number, last: AssetRow): Promise<LoggedState[]> {
    const { place: lastPlace } = this.newest.get(last.id) as NewestEntry;
    return this.log.page(place, Math.min(lastPlace - place + 1, MOST_STATES));
  }
}

function isOn(states: readonly LoggedState[], place: number): boolean {
  const [first, last] = [states[0], states.at(-1)];
  return first !== undefined && last !== undefined && first.place <= place && place <= last.place;
}
