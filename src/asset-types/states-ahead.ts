import type { Lifecycle } from './lifecycle.js';

/**
 * Finds the states that an asset will probably go through: the shortest way to the farthest final state. It never leads back through a
 * state that stands before `state`.
 * @returns the states after `state`; empty where it is final
 */
export function statesAhead(lifecycle: Lifecycle, state: string): readonly string[] {
  const before = waysFrom(lifecycle, lifecycle.initial, []).get(state) ?? [];
  const ahead = waysFrom(lifecycle, state, [lifecycle.initial, ...before]);
  const finals = [...ahead].filter(([name]) => lifecycle.states[name]?.final === true).map(([, way]) => way);
  return finals.reduce((longest, way) => (way.length > longest.length ? way : longest), []);
}

/** Finds the shortest way to each state that can be reached from `from`. @param closed states that no way may go through */
function waysFrom({ moves }: Lifecycle, from: string, closed: readonly string[]): Map<string, readonly string[]> {
  const ways = new Map<string, readonly string[]>([[from, []]]);
  // A Map also iterates over what is added meanwhile, so this is a breadth-first search.
  for (const [state, way] of ways)
    for (const { to } of moves.filter((move) => move.from === state))
      if (!ways.has(to) && !closed.includes(to)) ways.set(to, [...way, to]);
  return ways;
}
