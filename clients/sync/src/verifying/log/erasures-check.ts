import { instantUs, laterErasures, type LogEntry, type LoggedState } from 'asset-registry-client';
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
  /** In microseconds since 1970 UTC. */
  us: number;
}

/** To erase is a change of the asset: whoever says so has to name the instant of a later entry of it. */
export class ErasuresCheck {
  /** By asset and instant: nothing is kept of the states but their entries, as there may be thousands of a megabyte. */
  private readonly told = new Map<string, ToldLater[]>();
  private readonly met = new Set<string>();

  /** @param state the next one of the log @param isShown what it says of erasures counts */
  add({ place, entry, asset }: LoggedState, isShown: boolean): void {
    const own = keyOf(entry, instantUs(entry.dateModified));
    if (this.told.delete(own)) this.met.add(own);
    if (!isShown || asset === null) return;
    for (const us of new Set(laterErasures({ ...asset }, entry).map((one) => one.us))) {
      const key = keyOf(entry, us);
      const others = this.told.get(key) ?? [];
      others.push({ state: { place, entry }, us });
      this.told.set(key, others);
    }
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
    return unmet
      .filter((told) => !mayBe(told))
      .map(({ state, us }) => ({
        state,
        why: `it says that something was erased of it at ${printUs(us)}, and no later entry of the asset is of that instant`,
      }));
  }

  /** Whether all that a state says was erased later was met among the entries. */
  areMet({ entry, asset }: LoggedState): boolean {
    return laterErasures({ ...asset }, entry).every(({ us }) => this.met.has(keyOf(entry, us)));
  }
}

function keyOf({ id }: LogEntry, us: number): string {
  return `${id} ${us}`;
}
