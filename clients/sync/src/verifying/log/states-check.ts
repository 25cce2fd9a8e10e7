import type { LoggedState, LogPage } from 'asset-registry-client';
import { NO_COMMITMENT, faultOf, instantUs, leafHash, TILE_WIDTH } from 'asset-registry-tlog';
import type { AssetRow, RowReader } from '../../asset-row.js';
import { type Content, type Copy, type CopyState, EVERYTHING } from '../../copies/copy.js';
import type { VerifiedLogStore } from '../../copies/log-store.js';
import { usOf } from '../../instants.js';
import type { Difference } from '../compare.js';
import { contentsIn } from '../contents.js';
import { isSameExceptErasures, isSameState } from '../same-state.js';
import { ErasuresCheck, isRestored } from './erasures-check.js';
import type { CopiedLogCheck } from './copied-log-check.js';
import { LISTED_DIFFERENTLY, LoggedEvidence, CHANGED_ERASURES } from './logged-evidence.js';
import { LogRefuted, shownEntry } from './refuted.js';
import type { LogSource } from './source.js';
import type { StatesChecked } from './states-checked.js';

/** The log follows the feed within seconds: if it lacks changes older than this, it has not caught up. */
const LATE_US = 600_000_000;

/** An asset of the copy that does not match its entry. */
interface Suspect {
  state: LoggedState;
  feedUs: number;
}

/** Checks, page by page of the log, that the copy has the newest state of each asset, and no other assets. */
export class StatesCheck {
  readonly result: StatesChecked = {
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
  /** Places of states of which the copy has fields that the registry lists as erased later. */
  private readonly erasedPlaces: number[] = [];
  /** Assets of which a difference was not repaired, with their positions in the registry's feed. Their rows are not evidence against the registry. */
  private readonly unrepaired = new Map<string, number | undefined>();
  /** Decides, after all entries were checked, which of them may be repaired. */
  readonly evidence = new LoggedEvidence({
    page: async (place, limit) => {
      const { states } = await this.source.page(place, { limit });
      await this.checkEntries(states, place);
      return states;
    },
    isSound: (state) => faultIn(state) === undefined && state.entry.commitment !== null,
    isSame: (state, row) => this.isSame(state, row),
    hasChangedErasures: (row) => this.hasChangedErasures(row),
    listed: (state, why) => this.addListed(state, why),
  });
  private lastUs = EVERYTHING.afterUs;
  /** The checkpoint was requested a few minutes earlier, at most. */
  private readonly beganUs = Date.now() * 1_000;

  /**
   * @param state of the copy; it does not change meanwhile
   * @param copiedLog undefined if the copy has no log
   * @param progress is called with the number of checked entries
   */
  constructor(
    private readonly source: LogSource,
    private readonly store: VerifiedLogStore,
    private readonly copy: Copy,
    private readonly state: CopyState,
    private readonly reader: RowReader,
    private readonly copiedLog: CopiedLogCheck | undefined,
    private readonly progress: (entries: number) => void,
  ) {}

  /**
   * @param size of the verified log
   * @param catchUp brings the copy to the end of the feed
   * @param unrepaired differences between copy and registry that were not repaired
   * @throws LogRefuted if the entries are not the verified ones
   */
  async run(
    size: number,
    catchUp: () => Promise<unknown>,
    unrepaired: readonly Difference[] = [],
  ): Promise<StatesChecked> {
    for (const { id, registry } of unrepaired) this.unrepaired.set(id, registry === null ? undefined : usOf(registry));
    let page: Promise<LogPage> | undefined;
    for (let next = 0; next < size;) {
      const { states, next: following, unlogged } = await (page ?? this.source.page(next));
      page = following < size && following > next ? this.source.page(following) : undefined;
      page?.catch(() => undefined);
      const these = states.filter(({ place }) => place < size);
      await this.checkEntries(these, next);
      for (const { place, dateModified } of unlogged)
        for (const state of these.filter((one) => one.place === place))
          this.add(state, `the registry shows ${unloggedState(state, dateModified)}, which the log does not have`);
      await this.checkPage(these);
      next += these.length;
      this.progress(next);
    }
    await this.countNewer();
    if (this.suspects.length > 0) await this.recheck(catchUp);
    for (const { state, why } of await this.erasures.faults(this.copy, this.state, this.lastUs, catchUp))
      this.add(state, why);
    for (const place of this.erasedPlaces) await this.removeErased(place);
    return this.result;
  }

  /** Removes erased fields from the copy once a later entry confirms the erasure. Until then they are evidence. */
  private async removeErased(place: number): Promise<void> {
    const { states } = await this.source.page(place, { limit: 1 });
    await this.checkEntries(states, place);
    const [state] = states as [LoggedState];
    const sound = new Set(faultIn(state) === undefined ? [state] : []);
    const differences = await this.copiedLog?.check([state], sound, this.erasures);
    this.result.keptOtherwise += differences?.damaged ?? 0;
    // An erasure repeated by a restore was never served in this epoch.
    if (differences !== undefined && differences.erased.length > 0 && isRestored(this.state.epoch))
      this.add(
        state,
        'the copy has a field that the state lists as erased, and no later entry of the asset has the instant of that erasure',
      );
  }

  /** Counts assets after the last entry: a log that was just begun, or is behind, cannot confirm them yet. */
  private async countNewer(): Promise<void> {
    for await (const entries of this.copy.entries({ afterUs: this.lastUs, upToUs: EVERYTHING.upToUs })) {
      this.result.newer += entries.length;
      for (const { id, feedUs } of entries)
        if (feedUs < this.beganUs - LATE_US && !this.unrepaired.has(id)) this.result.late++;
    }
  }

  /** Checks that the pages have the verified entries. */
  private async checkEntries(states: readonly LoggedState[], from: number): Promise<void> {
    if (states.length === 0)
      throw new LogRefuted(`The page with the entry at place ${from} and its state is empty`, from);
    for (const [i, { place, text, entry }] of states.entries()) {
      const tile = await this.storedTile(Math.floor((from + i) / TILE_WIDTH));
      const at = (from + i) % TILE_WIDTH;
      const hash = leafHash(text);
      if (place === from + i && tile?.subarray(at * hash.length, (at + 1) * hash.length).equals(hash)) continue;
      throw new LogRefuted(`The page with the state does not have ${shownEntry(from + i, entry)} of the log`, from + i);
    }
  }

  private lastTile: { number: number; hashes: Buffer | undefined } | undefined;

  private async storedTile(number: number): Promise<Buffer | undefined> {
    if (this.lastTile?.number !== number) this.lastTile = { number, hashes: await this.store.tile(number) };
    return this.lastTile.hashes;
  }

  private async checkPage(states: readonly LoggedState[]): Promise<void> {
    this.result.upTo = (states.at(-1) as LoggedState).entry.dateModified;
    const upToUs = instantUs(this.result.upTo);
    const range = { afterUs: this.lastUs, upToUs };
    this.lastUs = upToUs;
    this.evidence.add(states, (id) => this.unrepaired.has(id));
    const soundStates = new Set(states.filter((state) => this.checkState(state)));
    const unlisted = new Map(states.map((state) => [instantUs(state.entry.dateModified), state]));
    for await (const { rows } of contentsIn(this.copy, range))
      for (const row of rows) {
        if (this.unrepaired.has(row.id)) continue;
        const state = unlisted.get(row.feedUs);
        if (state?.entry.id === row.id) {
          unlisted.delete(row.feedUs);
          if (soundStates.has(state)) this.checkAsset(state, row);
        } else this.addUnlogged(row);
      }
    await this.checkOlder([...unlisted.values()]);
    // States without a commitment are not replaced in the copy, whose version may be evidence.
    const sound = new Set([...soundStates].filter(({ entry }) => entry.commitment !== null));
    for (const state of states) this.erasures.add(state, soundStates.has(state));
    const differences = await this.copiedLog?.check(states, sound, this.erasures);
    this.result.keptOtherwise += differences?.damaged ?? 0;
    for (const { place } of differences?.erased ?? []) this.erasedPlaces.push(place);
    for (const state of differences?.changedErasures ?? []) this.add(state, CHANGED_ERASURES);
    for (const state of differences?.forked ?? [])
      this.add(state, 'the copy has another entry at this place, with a matching state: the registry has served both');
  }

  private addUnlogged({ id, dateModified }: Content): void {
    this.result.faults.push({ place: null, id, dateModified, why: 'the log has no entry of it' });
  }

  /** Checks an asset of the copy against its newest state. */
  private checkAsset(state: LoggedState, row: Content): void {
    if (state.entry.commitment === null) return;
    if (this.isSame(state, row)) this.result.assets++;
    else this.suspects.push({ state, feedUs: row.feedUs });
  }

  private checkState(state: LoggedState): boolean {
    const { entry, opening } = state;
    if (entry.commitment === null) this.result.unbound++;
    if (opening !== null && 'erased' in opening) this.result.erased++;
    const why = faultIn(state);
    if (why !== undefined) this.add(state, `the state that the registry shows: ${why}`);
    return why === undefined;
  }

  private isSame({ asset }: LoggedState, { document }: Pick<Content, 'document'>): boolean {
    const text = JSON.stringify(asset);
    const expected = this.state.fields === null ? text : this.reader.read(text).document;
    return isSameState(document, expected);
  }

  /** Checks states that the copy does not list at their instants: each of these assets must have a newer state in the copy. */
  private async checkOlder(states: readonly LoggedState[]): Promise<void> {
    const positions = await this.copy.feedUsByIds([...new Set(states.map(({ entry }) => entry.id))]);
    for (const state of states) {
      const { id } = state.entry;
      const now = this.unrepaired.has(id) ? this.unrepaired.get(id) : positions.get(id);
      // The copy may not select the asset's type; whether the registry lists the asset is unknown.
      if (now === undefined && this.state.types !== null && !this.unrepaired.has(id)) continue;
      if (now === undefined) this.add(state, 'the registry no longer lists the asset');
      else if (now < instantUs(state.entry.dateModified)) this.add(state, 'the registry shows an older state');
    }
  }

  /** Checks suspects again, because assets that changed meanwhile have moved in the feed. */
  private async recheck(catchUp: () => Promise<unknown>): Promise<void> {
    await catchUp();
    for (const { state, feedUs } of this.suspects) {
      const now = await this.copy.findEntry(state.entry.id);
      if (now?.feedUs !== feedUs) continue;
      const [row] = await this.copy.contents({ afterUs: feedUs - 1, upToUs: feedUs });
      const [served] = (await this.source.page(state.place, { limit: 1 })).states;
      const isSame = row !== undefined && served !== undefined && this.isSame(served, row);
      this.addListed(state, isSame ? undefined : LISTED_DIFFERENTLY);
    }
  }

  private addListed(state: LoggedState, why: string | undefined): void {
    if (why === undefined) this.result.assets++;
    else this.add(state, why);
  }

  /** Whether the copy has the same state with another list of erased fields, although an erasure would have made a new state. */
  private async hasChangedErasures({ id, feedUs, document }: AssetRow): Promise<boolean> {
    const rows = await this.copy.contents({ afterUs: feedUs - 1, upToUs: feedUs });
    const own = rows.find((row) => row.id === id);
    return own !== undefined && isSameExceptErasures(own.document, document);
  }

  private add({ place, entry }: Pick<LoggedState, 'place' | 'entry'>, why: string): void {
    this.result.faults.push({ place, id: entry.id, dateModified: entry.dateModified, why });
  }
}

/** Names a state of the registry's that has no entry. */
function unloggedState({ entry }: LoggedState, dateModified: string): string {
  return `${instantUs(dateModified) === instantUs(entry.dateModified) ? 'another' : 'a'} state of ${dateModified}`;
}

/** The fault of a state. Without a commitment only the id and the dates are compared. */
export function faultIn({ asset, entry, opening }: LoggedState): string | undefined {
  if (asset === null)
    return entry.commitment === null ? undefined : 'the registry no longer has the state that the entry binds';
  const why = faultOf({ ...asset }, entry, opening);
  return why === NO_COMMITMENT ? undefined : why;
}
