import type { Lifecycle } from './lifecycle.js';

/**
 * Predicts the states of an asset: the shortest path to the farthest final state, without going back through states before `state`.
 * @returns the states after `state`; empty if it is final
 */
export function statesAhead(lifecycle: Lifecycle, state: string): readonly string[] {
  const before = pathsFrom(lifecycle, lifecycle.initial, []).get(state) ?? [];
  const ahead = pathsFrom(lifecycle, state, [lifecycle.initial, ...before]);
  const finals = [...ahead].filter(([name]) => lifecycle.states[name]?.final === true).map(([, path]) => path);
  return finals.reduce((longest, path) => (path.length > longest.length ? path : longest), []);
}

/** Finds the shortest path to each state reachable from `from`. @param closed states to avoid */
function pathsFrom({ moves }: Lifecycle, from: string, closed: readonly string[]): Map<string, readonly string[]> {
  const paths = new Map<string, readonly string[]>([[from, []]]);
  // Breadth-first search: a Map also iterates over entries added meanwhile.
  for (const [state, path] of paths)
    for (const { to } of moves.filter((move) => move.from === state))
      if (!paths.has(to) && !closed.includes(to)) paths.set(to, [...path, to]);
  return paths;
}
