import type { LoggedState, LogPage } from 'asset-registry-client';
import { BINDS_NOTHING, faultOf, instantUs, leafHash, TILE_WIDTH } from 'asset-registry-tlog';
import type { AssetRow, RowReader } from '../../asset-row.js';
import { type Content, type Copy, type CopyState, EVERYTHING } from '../../copies/copy.js';
import type { SeenLog } from '../../copies/seen-log.js';
import { usOf } from '../../instants.js';
import type { Difference } from '../compare.js';
import { contentsIn } from '../contents.js';
import { isSameBesideErasures, isSameState } from '../same-state.js';
import { ErasuresCheck, isRestored } from './erasures-check.js';
import type { KeptLogCheck } from './kept-log-check.js';
import { LISTED_OTHERWISE, LoggedEvidence, OTHER_WORDS } from './logged-evidence.js';
import { LogRefuted, shownEntry } from './refuted.js';
import type { LogSource } from './source.js';
import type { StatesChecked } from './states-checked.js';

/** A log that has caught up follows the feed by seconds: where it lacks what is older than this, it has not. */
const LATE_US = 600_000_000;

/** A copy's asset that is not the state that its entry binds. */
interface Suspect {
  state: LoggedState;
  feedUs: number;
}

/** Checks, page by page of the log, that the copy has the newest state of each asset, and no other assets. */
export class StatesCheck {
  readonly told: StatesChecked = {
    assets: 0,
    unbound: 0,
    erased: 0,
    newer: 0,
    late: 0,
    upTo: '',
    keptOtherwise: 0,
    faults: [],
  };
  private readonly suspects: Suspect[] = [];
  private readonly erasures = new ErasuresCheck();
  /** Places of which the copy keeps what was erased later, as the registry says. */
  private readonly erasedPlaces: number[] = [];
  /** Of these assets the copy says nothing of the registry: where that has each in its feed. */
  private readonly unmended = new Map<string, number | undefined>();
  /** What of them may be mended, once all entries were checked. What the registry lists is compared with the log then. */
  readonly evidence = new LoggedEvidence({
    page: async (place, limit) => {
      const { states } = await this.source.page(place, { limit });
      await this.checkEntries(states, place);
      return states;
    },
    isSound: (state) => faultIn(state) === undefined && state.entry.commitment !== null,
    isSame: (state, row) => this.isSame(state, row),
    isToldOtherwise: (row) => this.isToldOtherwise(row),
    listed: (state, why) => this.addListed(state, why),
  });
  private doneUs = EVERYTHING.afterUs;
  /** The checkpoint was asked for within the minutes before. */
  private readonly beganUs = Date.now() * 1_000;

  /**
   * @param state of the copy, which stays as it is while this goes on
   * @param keptLog undefined where the copy keeps none
   * @param progress told how many entries are checked
   */
  constructor(
    private readonly source: LogSource,
    private readonly seen: SeenLog,
    private readonly copy: Copy,
    private readonly state: CopyState,
    private readonly reader: RowReader,
    private readonly keptLog: KeptLogCheck | undefined,
    private readonly progress: (entries: number) => void,
  ) {}

  /**
   * @param size of the log that was verified
   * @param catchUp brings the copy to the end of the feed
   * @param unmended what the copy has in another way than the registry, and stays so
   * @throws LogRefuted where the log's entries are not those that were verified
   */
  async run(
    size: number,
    catchUp: () => Promise<unknown>,
    unmended: readonly Difference[] = [],
  ): Promise<StatesChecked> {
    for (const { id, registry } of unmended) this.unmended.set(id, registry === null ? undefined : usOf(registry));
    let page: Promise<LogPage> | undefined;
    for (let next = 0; next < size;) {
      const { states, next: following, unlogged } = await (page ?? this.source.page(next));
      page = following < size && following > next ? this.source.page(following) : undefined;
      page?.catch(() => undefined);
      const these = states.filter(({ place }) => place < size);
      await this.checkEntries(these, next);
      for (const { place, dateModified } of unlogged)
        for (const state of these.filter((one) => one.place === place))
          this.add(state, `the registry tells of ${beside(state, dateModified)}, which the log does not have`);
      await this.checkPage(these);
      next += these.length;
      this.progress(next);
    }
    await this.countNewer();
    if (this.suspects.length > 0) await this.lookAgain(catchUp);
    for (const { state, why } of await this.erasures.faults(this.copy, this.state, this.doneUs, catchUp))
      this.add(state, why);
    for (const place of this.erasedPlaces) await this.takeErased(place);
    return this.told;
  }

  /** What the copy keeps goes once a later entry says so. Until then, and where none does, it is evidence. */
  private async takeErased(place: number): Promise<void> {
    const { states } = await this.source.page(place, { limit: 1 });
    await this.checkEntries(states, place);
    const [state] = states as [LoggedState];
    const sound = new Set(faultIn(state) === undefined ? [state] : []);
    const kept = await this.keptLog?.check([state], sound, this.erasures);
    this.told.keptOtherwise += kept?.damaged ?? 0;
    // What a restore has erased again was never served in this history.
    if (kept !== undefined && kept.erased.length > 0 && isRestored(this.state.epoch))
      this.add(
        state,
        'the copy keeps what was erased of it, and no later entry of the asset is of the instant that it says',
      );
  }

  /** A log that is begun over what there was, or goes on after it stood still, says nothing yet of what comes behind its last entry. */
  private async countNewer(): Promise<void> {
    for await (const entries of this.copy.entries({ afterUs: this.doneUs, upToUs: EVERYTHING.upToUs })) {
      this.told.newer += entries.length;
      for (const { id, feedUs } of entries)
        if (feedUs < this.beganUs - LATE_US && !this.unmended.has(id)) this.told.late++;
    }
  }

  /** They are those of the log. */
  private async checkEntries(states: readonly LoggedState[], from: number): Promise<void> {
    if (states.length === 0) throw new LogRefuted(`The entry at place ${from} is not served with its state`, from);
    for (const [i, { place, text, entry }] of states.entries()) {
      const tile = await this.seenTile(Math.floor((from + i) / TILE_WIDTH));
      const at = (from + i) % TILE_WIDTH;
      const hash = leafHash(text);
      if (place === from + i && tile?.subarray(at * hash.length, (at + 1) * hash.length).equals(hash)) continue;
      throw new LogRefuted(`What is served with its state is not ${shownEntry(from + i, entry)} of the log`, from + i);
    }
  }

  private lastTile: { number: number; hashes: Buffer | undefined } | undefined;

  private async seenTile(number: number): Promise<Buffer | undefined> {
    if (this.lastTile?.number !== number) this.lastTile = { number, hashes: await this.seen.tile(number) };
    return this.lastTile.hashes;
  }

  private async checkPage(states: readonly LoggedState[]): Promise<void> {
    this.told.upTo = (states.at(-1) as LoggedState).entry.dateModified;
    const upToUs = instantUs(this.told.upTo);
    const range = { afterUs: this.doneUs, upToUs };
    this.doneUs = upToUs;
    this.evidence.add(states, (id) => this.unmended.has(id));
    const shown = new Set(states.filter((state) => this.checkState(state)));
    const older = new Map(states.map((state) => [instantUs(state.entry.dateModified), state]));
    for await (const { rows } of contentsIn(this.copy, range))
      for (const row of rows) {
        if (this.unmended.has(row.id)) continue;
        const state = older.get(row.feedUs);
        if (state?.entry.id === row.id) {
          older.delete(row.feedUs);
          if (shown.has(state)) this.checkAsset(state, row);
        } else this.addUnlogged(row);
      }
    await this.checkOlder([...older.values()]);
    // What a copy has of another one is evidence, and stays.
    const sound = new Set([...shown].filter(({ entry }) => entry.commitment !== null));
    for (const state of states) this.erasures.add(state, shown.has(state));
    const kept = await this.keptLog?.check(states, sound, this.erasures);
    this.told.keptOtherwise += kept?.damaged ?? 0;
    for (const { place } of kept?.erased ?? []) this.erasedPlaces.push(place);
    for (const state of kept?.toldOtherwise ?? []) this.add(state, OTHER_WORDS);
    for (const state of kept?.forked ?? [])
      this.add(
        state,
        'the copy keeps another entry of this place, and what that one binds: the registry has served both',
      );
  }

  private addUnlogged({ id, dateModified }: Content): void {
    this.told.faults.push({ place: null, id, dateModified, why: 'the log has no entry of it' });
  }

  /** One of the copy, as it is now. */
  private checkAsset(state: LoggedState, row: Content): void {
    if (state.entry.commitment === null) return;
    if (this.isSame(state, row)) this.told.assets++;
    else this.suspects.push({ state, feedUs: row.feedUs });
  }

  private checkState(state: LoggedState): boolean {
    const { entry, opening } = state;
    if (entry.commitment === null) this.told.unbound++;
    if (opening !== null && 'erased' in opening) this.told.erased++;
    const why = faultIn(state);
    if (why !== undefined) this.add(state, `the state that the registry shows: ${why}`);
    return why === undefined;
  }

  private isSame({ asset }: LoggedState, { document }: Pick<Content, 'document'>): boolean {
    const text = JSON.stringify(asset);
    const expected = this.state.fields === null ? text : this.reader.read(text).document;
    return isSameState(document, expected);
  }

  /** Each of these assets has a newer state, or its row is told to be wrong. */
  private async checkOlder(states: readonly LoggedState[]): Promise<void> {
    const places = await this.copy.placesOf([...new Set(states.map(({ entry }) => entry.id))]);
    for (const state of states) {
      const { id } = state.entry;
      const now = this.unmended.has(id) ? this.unmended.get(id) : places.get(id);
      // A copy of some types does not have it; whether the registry does is not known.
      if (now === undefined && this.state.types !== null && !this.unmended.has(id)) continue;
      if (now === undefined) this.add(state, 'the registry does not list the asset any more');
      else if (now < instantUs(state.entry.dateModified)) this.add(state, 'the registry shows an older state');
    }
  }

  /** What was changed or erased meanwhile stands elsewhere now. */
  private async lookAgain(catchUp: () => Promise<unknown>): Promise<void> {
    await catchUp();
    for (const { state, feedUs } of this.suspects) {
      const now = await this.copy.findEntry(state.entry.id);
      if (now?.feedUs !== feedUs) continue;
      const [row] = await this.copy.contents({ afterUs: feedUs - 1, upToUs: feedUs });
      const [served] = (await this.source.page(state.place, { limit: 1 })).states;
      const isSame = row !== undefined && served !== undefined && this.isSame(served, row);
      this.addListed(state, isSame ? undefined : LISTED_OTHERWISE);
    }
  }

  private addListed(state: LoggedState, why: string | undefined): void {
    if (why === undefined) this.told.assets++;
    else this.add(state, why);
  }

  /** Whether the copy has the same state with other words of what was erased: to erase would have made another state. */
  private async isToldOtherwise({ id, feedUs, document }: AssetRow): Promise<boolean> {
    const kept = await this.copy.contents({ afterUs: feedUs - 1, upToUs: feedUs });
    const own = kept.find((row) => row.id === id);
    return own !== undefined && isSameBesideErasures(own.document, document);
  }

  private add({ place, entry }: Pick<LoggedState, 'place' | 'entry'>, why: string): void {
    this.told.faults.push({ place, id: entry.id, dateModified: entry.dateModified, why });
  }
}

/** The entry is of one state of its instant. */
function beside({ entry }: LoggedState, dateModified: string): string {
  return `${instantUs(dateModified) === instantUs(entry.dateModified) ? 'another' : 'a'} state of ${dateModified}`;
}

/** Of an entry that binds nothing the id and the dates are compared. */
export function faultIn({ asset, entry, opening }: LoggedState): string | undefined {
  if (asset === null) return entry.commitment === null ? undefined : 'the registry has another one than it bound';
  const why = faultOf({ ...asset }, entry, opening);
  return why === BINDS_NOTHING ? undefined : why;
}
