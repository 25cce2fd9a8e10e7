import type { LoggedState } from 'asset-registry-client';
import { instantUs, laterErasures, type LogEntry, ownErasures } from 'asset-registry-tlog';
import type { Copy, CopyState } from '../../copies/copy.js';
import { printUs } from '../../instants.js';

/** A UUID version 7 is the epoch after a restore, which may have repeated erasures without logging them. */
const RESTORED = /^0[12][0-9a-f]{10}7[0-9a-f]{3}[89ab]/;
/** Tolerated error of a clock. */
const CLOCK_ERROR_US = 600_000_000;

export function isRestored(epoch: string): boolean {
  return RESTORED.test(epoch);
}

/** An item of a state's list of erased fields, for an erasure after the state. */
interface LaterErasure {
  state: Pick<LoggedState, 'place' | 'entry'>;
  pointer: string;
  /** In microseconds since 1970 UTC. */
  us: number;
}

/** Checks erasures that states list. An erasure changes the asset, so a later entry must have its instant, with a state that lists it too. */
export class ErasuresCheck {
  /** Erasures without a confirming entry so far, by asset and instant. Without the states, because there may be thousands of a megabyte. */
  private readonly unconfirmed = new Map<string, LaterErasure[]>();
  /** Pointers that states list as erased at their own instant, by asset and instant. */
  private readonly confirmed = new Map<string, ReadonlySet<string>>();

  /** @param state the next one of the log @param isSound whether it matches its entry */
  add({ place, entry, asset }: LoggedState, isSound: boolean): void {
    const own = keyOf(entry, instantUs(entry.dateModified));
    const others = this.unconfirmed.get(own) ?? [];
    this.unconfirmed.delete(own);
    // Its fault was reported already.
    if (!isSound || asset === null) return;
    const erased = ownErasures({ ...asset }, entry);
    if (erased.size > 0) this.confirmed.set(own, erased);
    const unmet = others.filter(({ pointer }) => !erased.has(pointer));
    if (unmet.length > 0) this.unconfirmed.set(own, unmet);
    for (const { pointer, us } of laterErasures({ ...asset }, entry)) {
      const key = keyOf(entry, us);
      const claims = this.unconfirmed.get(key) ?? [];
      claims.push({ state: { place, entry }, pointer, us });
      this.unconfirmed.set(key, claims);
    }
  }

  /** Ignores the erasures that a state lists for its own instant. */
  distrust({ entry }: LoggedState): void {
    this.confirmed.delete(keyOf(entry, instantUs(entry.dateModified)));
  }

  /**
   * Listed erasures that no entry confirms, except for those after the checkpoint, and those that a restore may have repeated.
   * @param lastUs instant of the log's last entry
   * @param catchUp brings the copy to the end of the feed
   */
  async faults(
    copy: Copy,
    { epoch }: CopyState,
    lastUs: number,
    catchUp: () => Promise<unknown>,
  ): Promise<{ state: LaterErasure['state']; why: string }[]> {
    const unmet = [...this.unconfirmed.values()].flat();
    if (unmet.some(({ us }) => us > lastUs)) await catchUp();
    const positions = await copy.feedUsByIds([...new Set(unmet.map(({ state }) => state.entry.id))]);
    const mayBeGenuine = ({ state, us }: LaterErasure): boolean => {
      // Undefined for types that the copy does not select.
      const nowUs = positions.get(state.entry.id);
      const isPast = us <= Date.now() * 1_000 + CLOCK_ERROR_US;
      if (isRestored(epoch)) return isPast;
      return us > lastUs && (nowUs === undefined ? isPast : us <= nowUs);
    };
    // One sentence per state and instant.
    const wrong = new Map(
      unmet.filter((one) => !mayBeGenuine(one)).map((one) => [`${one.state.place} ${one.us}`, one]),
    );
    return Array.from(wrong.values(), ({ state, us }) => ({
      state,
      why: `it lists a field as erased at ${printUs(us)}, but no later entry of the asset at that instant confirms the erasure`,
    }));
  }

  /** Whether entries confirm all later erasures that a state lists. */
  areConfirmed({ entry, asset }: LoggedState): boolean {
    return laterErasures({ ...asset }, entry).every(({ pointer, us }) =>
      this.confirmed.get(keyOf(entry, us))?.has(pointer),
    );
  }
}

function keyOf({ id }: LogEntry, us: number): string {
  return `${id} ${us}`;
}
