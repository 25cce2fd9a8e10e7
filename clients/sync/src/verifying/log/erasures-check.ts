import type { LoggedState } from 'asset-registry-client';
import { instantUs, laterErasures, type LogEntry, ownErasures } from 'asset-registry-tlog';
import type { Copy, CopyState } from '../../copies/copy.js';
import { printUs } from '../../instants.js';

/** A UUID of version 7: a history that began with a restore, which may have erased something again without an entry. */
const RESTORED = /^0[12][0-9a-f]{10}7[0-9a-f]{3}[89ab]/;
/** A clock may be wrong by so much. */
const WRONG_US = 600_000_000;

export function isRestored(epoch: string): boolean {
  return RESTORED.test(epoch);
}

/** A state that says that something was erased of it at an instant. */
interface ToldLater {
  state: Pick<LoggedState, 'place' | 'entry'>;
  pointer: string;
  /** In microseconds since 1970 UTC. */
  us: number;
}

/** To erase is a change of the asset: whoever says so has to name the instant of a later entry of it, whose state says so as well. */
export class ErasuresCheck {
  /** By asset and instant: nothing is kept of the states but their entries, as there may be thousands of a megabyte. */
  private readonly told = new Map<string, ToldLater[]>();
  /** Pointers that the state of an entry says were erased at its own instant, by asset and instant. */
  private readonly met = new Map<string, ReadonlySet<string>>();

  /** @param state the next one of the log @param isShown what it says of erasures counts */
  add({ place, entry, asset }: LoggedState, isShown: boolean): void {
    const own = keyOf(entry, instantUs(entry.dateModified));
    const others = this.told.get(own) ?? [];
    this.told.delete(own);
    // What is wrong with this one is told already.
    if (!isShown || asset === null) return;
    const erased = ownErasures({ ...asset }, entry);
    if (erased.size > 0) this.met.set(own, erased);
    const unmet = others.filter(({ pointer }) => !erased.has(pointer));
    if (unmet.length > 0) this.told.set(own, unmet);
    for (const { pointer, us } of laterErasures({ ...asset }, entry)) {
      const key = keyOf(entry, us);
      const told = this.told.get(key) ?? [];
      told.push({ state: { place, entry }, pointer, us });
      this.told.set(key, told);
    }
  }

  /** What a state says was erased at its own instant counts no more. */
  distrust({ entry }: LoggedState): void {
    this.met.delete(keyOf(entry, instantUs(entry.dateModified)));
  }

  /**
   * Those of which the log has no entry, but for what came behind its checkpoint, and what a restore may have erased again.
   * @param doneUs when the last entry of the log began
   * @param catchUp brings the copy to the end of the feed
   */
  async faults(
    copy: Copy,
    { epoch }: CopyState,
    doneUs: number,
    catchUp: () => Promise<unknown>,
  ): Promise<{ state: ToldLater['state']; why: string }[]> {
    const unmet = [...this.told.values()].flat();
    if (unmet.some(({ us }) => us > doneUs)) await catchUp();
    const places = await copy.placesOf([...new Set(unmet.map(({ state }) => state.entry.id))]);
    const mayBe = ({ state, us }: ToldLater): boolean => {
      // A copy of some types does not have it.
      const nowUs = places.get(state.entry.id);
      const isPast = us <= Date.now() * 1_000 + WRONG_US;
      if (isRestored(epoch)) return isPast;
      return us > doneUs && (nowUs === undefined ? isPast : us <= nowUs);
    };
    // One sentence for all that a state says of one instant.
    const wrong = new Map(unmet.filter((told) => !mayBe(told)).map((told) => [`${told.state.place} ${told.us}`, told]));
    return Array.from(wrong.values(), ({ state, us }) => ({
      state,
      why: `it says that something was erased of it at ${printUs(us)}, and no later entry of the asset is of that instant, with a state that says so`,
    }));
  }

  /** Whether all that a state says was erased later was met among the entries. */
  areMet({ entry, asset }: LoggedState): boolean {
    return laterErasures({ ...asset }, entry).every(({ pointer, us }) => this.met.get(keyOf(entry, us))?.has(pointer));
  }
}

function keyOf({ id }: LogEntry, us: number): string {
  return `${id} ${us}`;
}
