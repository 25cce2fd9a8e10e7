/** When a state of an asset began, as a line of the file says. */
export interface StateInstant {
  line: number;
  /** Id of the asset. */
  id: string;
  /** Microseconds since 1970 UTC. */
  us: number;
}

/** An instant that is not as it was in the other registry. */
export interface MovedInstant extends StateInstant {
  toUs: number;
}

/**
 * Gives each state an instant of its own: dateModified stays where it is in the past and no other state has it, else it is the next free
 * microsecond. Of several states with one instant, the first keeps it. Source: contract section 18.
 * @param wanted in the order of the file
 * @param nowUs later instants are put behind this
 * @returns those that moved
 */
export function settleInstants(wanted: readonly StateInstant[], nowUs: number): MovedInstant[] {
  const taken = new Set<number>();
  const others: StateInstant[] = [];
  for (const state of wanted) {
    if (state.us > nowUs || taken.has(state.us)) others.push(state);
    else taken.add(state.us);
  }
  // Where the search for a free one goes on, as many states may have one instant.
  const next = new Map<number, number>();
  return others.map((state) => {
    const beginUs = Math.min(state.us, nowUs);
    let toUs = next.get(beginUs) ?? beginUs;
    while (taken.has(toUs)) toUs++;
    taken.add(toUs);
    next.set(beginUs, toUs);
    return { ...state, toUs };
  });
}
