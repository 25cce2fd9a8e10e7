/** The instant of a state, as in a line of the file. */
export interface StateInstant {
  line: number;
  /** Id of the asset. */
  id: string;
  /** Microseconds since 1970 UTC. */
  us: number;
}

/** An instant that had to be changed. */
export interface AdjustedInstant extends StateInstant {
  toUs: number;
}

/**
 * Makes the instants unique: dateModified stays if it is past and unused, else it becomes the next free microsecond. Of several states with
 * the same instant, the first keeps it. Source: contract section 18.
 * @param states in the order of the file
 * @param nowUs later instants become the next free ones after this
 * @returns the adjusted instants
 */
export function assignInstants(states: readonly StateInstant[], nowUs: number): AdjustedInstant[] {
  const used = new Set<number>();
  const others: StateInstant[] = [];
  for (const state of states) {
    if (state.us > nowUs || used.has(state.us)) others.push(state);
    else used.add(state.us);
  }
  // Remembers where the search for a free microsecond continues, because many states may have the same instant.
  const next = new Map<number, number>();
  return others.map((state) => {
    const beginUs = Math.min(state.us, nowUs);
    let toUs = next.get(beginUs) ?? beginUs;
    while (used.has(toUs)) toUs++;
    used.add(toUs);
    next.set(beginUs, toUs);
    return { ...state, toUs };
  });
}
