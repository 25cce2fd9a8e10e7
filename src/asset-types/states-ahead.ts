import type { Lifecycle } from './lifecycle.js';

/**
 * Finds the states that an asset will probably go through: the shortest way to the farthest final state. It never leads back through a
 * state that stands before `state`.
 * @returns the states after `state`; empty where it is final
 */
export function statesAhead(lifecycle: Lifecycle, state: string): readonly string[] {
  const before = pathsFrom(lifecycle, lifecycle.initial, []).get(state) ?? [];
  const ahead = pathsFrom(lifecycle, state, [lifecycle.initial, ...before]);
  const finals = [...ahead].filter(([name]) => lifecycle.states[name]?.final === true).map(([, path]) => path);
  return finals.reduce((longest, path) => (path.length > longest.length ? path : longest), []);
}

/** Finds the shortest way to each state that can be reached from `from`. @param closed states that no way may go through */
function pathsFrom({ moves }: Lifecycle, from: string, closed: readonly string[]): Map<string, readonly string[]> {
  const paths = new Map<string, readonly string[]>([[from, []]]);
  // A Map also iterates over what is added meanwhile, so this is a breadth-first search.
  for (const [state, path] of paths)
    for (const { to } of moves.filter((move) => move.from === state))
      if (!paths.has(to) && !closed.includes(to)) paths.set(to, [...path, to]);
  return paths;
}
