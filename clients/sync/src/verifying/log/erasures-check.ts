import type { LoggedState } from 'asset-registry-client';
import { instantUs, laterErasures, type LogEntry, ownErasures } from 'asset-registry-tlog';
import type { Copy, CopyState } from '../../copies/copy.js';
import { printUs } from '../../instants.js';

/** A UUID version 7: an epoch that began with a restore, which may have repeated erasures without entries. */
const RESTORED = /^0[12][0-9a-f]{10}7[0-9a-f]{3}[89ab]/;
/** Tolerated error of a clock. */
const WRONG_US = 600_000_000;

export function isRestored(epoch: string): boolean {
  return RESTORED.test(epoch);
}

/** A state's statement that a field of it was erased at an instant. */
interface LaterErasure {
  state: Pick<LoggedState, 'place' | 'entry'>;
  pointer: string;
  /** In microseconds since 1970 UTC. */
  us: number;
}

/** An erasure is a change of the asset, so its instant must be that of a later entry whose state says the same. */
export class ErasuresCheck {
  /** By asset and instant; without the states themselves, as there may be thousands of a megabyte. */
  private readonly unconfirmed = new Map<string, LaterErasure[]>();
  /** Pointers that states say were erased at their own instant, by asset and instant. */
  private readonly met = new Map<string, ReadonlySet<string>>();

  /** @param state the next one of the log @param isShown whether its statements about erasures count */
  add({ place, entry, asset }: LoggedState, isShown: boolean): void {
    const own = keyOf(entry, instantUs(entry.dateModified));
    const others = this.unconfirmed.get(own) ?? [];
    this.unconfirmed.delete(own);
    // Its own fault was reported already.
    if (!isShown || asset === null) return;
    const erased = ownErasures({ ...asset }, entry);
    if (erased.size > 0) this.met.set(own, erased);
    const unmet = others.filter(({ pointer }) => !erased.has(pointer));
    if (unmet.length > 0) this.unconfirmed.set(own, unmet);
    for (const { pointer, us } of laterErasures({ ...asset }, entry)) {
      const key = keyOf(entry, us);
      const claims = this.unconfirmed.get(key) ?? [];
      claims.push({ state: { place, entry }, pointer, us });
      this.unconfirmed.set(key, claims);
    }
  }

  /** Ignores a state's statements about its own instant. */
  distrust({ entry }: LoggedState): void {
    this.met.delete(keyOf(entry, instantUs(entry.dateModified)));
  }

  /**
   * Erasures without an entry in the log, except for those after its checkpoint, and those that a restore may have repeated.
   * @param doneUs instant of the log's last entry
   * @param catchUp brings the copy to the end of the feed
   */
  async faults(
    copy: Copy,
    { epoch }: CopyState,
    doneUs: number,
    catchUp: () => Promise<unknown>,
  ): Promise<{ state: LaterErasure['state']; why: string }[]> {
    const unmet = [...this.unconfirmed.values()].flat();
    if (unmet.some(({ us }) => us > doneUs)) await catchUp();
    const places = await copy.feedUsByIds([...new Set(unmet.map(({ state }) => state.entry.id))]);
    const mayBe = ({ state, us }: LaterErasure): boolean => {
      // A copy of some types does not have it.
      const nowUs = places.get(state.entry.id);
      const isPast = us <= Date.now() * 1_000 + WRONG_US;
      if (isRestored(epoch)) return isPast;
      return us > doneUs && (nowUs === undefined ? isPast : us <= nowUs);
    };
    // One sentence per state and instant.
    const wrong = new Map(unmet.filter((one) => !mayBe(one)).map((one) => [`${one.state.place} ${one.us}`, one]));
    return Array.from(wrong.values(), ({ state, us }) => ({
      state,
      why: `it says that something was erased of it at ${printUs(us)}, and no later entry of the asset is of that instant, with a state that says so`,
    }));
  }

  /** Whether entries confirm all later erasures that a state names. */
  areMet({ entry, asset }: LoggedState): boolean {
    return laterErasures({ ...asset }, entry).every(({ pointer, us }) => this.met.get(keyOf(entry, us))?.has(pointer));
  }
}

function keyOf({ id }: LogEntry, us: number): string {
  return `${id} ${us}`;
}
