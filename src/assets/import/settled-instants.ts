/** An instant that is not as it was in the other registry. */
export interface MovedInstant {
  id: string;
  fromUs: number;
  toUs: number;
}

/**
 * Gives each asset an instant of its own: dateModified stays where it is in the past and no other asset has it, else it is the next free
 * microsecond. Of several with one instant the first keeps it. Source: contract section 18.
 * @param wanted by the asset's id, in microseconds, in the order of the file
 * @param nowUs what is later is put behind this
 * @returns those that moved
 */
export function settleInstants(wanted: ReadonlyMap<string, number>, nowUs: number): MovedInstant[] {
  const taken = new Set<number>();
  const others: [id: string, us: number][] = [];
  for (const [id, us] of wanted) {
    if (us > nowUs || taken.has(us)) others.push([id, us]);
    else taken.add(us);
  }
  // Where the search for a free one goes on, as many assets may have one instant.
  const next = new Map<number, number>();
  return others.map(([id, fromUs]) => {
    const beginUs = Math.min(fromUs, nowUs);
    let toUs = next.get(beginUs) ?? beginUs;
    while (taken.has(toUs)) toUs++;
    taken.add(toUs);
    next.set(beginUs, toUs);
    return { id, fromUs, toUs };
  });
}
