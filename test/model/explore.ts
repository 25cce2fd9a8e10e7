/** What exploring every interleaving found. */
export interface Exploration {
  states: number;
  /** What is wrong in the first bad state that was reached, or undefined. */
  fault: string | undefined;
  /** The way to it, as text a step. */
  trace: string[];
}

/** A step: what happens, and the state after it. */
export type Step<State> = [name: string, next: State];

/** Visits every state that can be reached from `initial`, each once, and stops at the first fault. States are plain JSON values. */
export function explore<State>(
  initial: State,
  stepsFrom: (state: State) => Step<State>[],
  faultOf: (state: State) => string | undefined,
): Exploration {
  const first = JSON.stringify(initial);
  const cameFrom = new Map<string, [before: string, step: string]>([[first, ['', 'start']]]);
  const stack = [first];
  while (stack.length > 0) {
    const key = stack.pop() as string;
    const state = JSON.parse(key) as State;
    const fault = faultOf(state);
    if (fault !== undefined) return { states: cameFrom.size, fault, trace: traceTo(key, cameFrom) };
    for (const [name, next] of stepsFrom(state)) {
      const nextKey = JSON.stringify(next);
      if (cameFrom.has(nextKey)) continue;
      cameFrom.set(nextKey, [key, name]);
      stack.push(nextKey);
    }
  }
  return { states: cameFrom.size, fault: undefined, trace: [] };
}

function traceTo(key: string, cameFrom: ReadonlyMap<string, [string, string]>): string[] {
  const trace: string[] = [];
  for (let at = key; at !== '';) {
    const [before, step] = cameFrom.get(at) as [string, string];
    trace.push(step);
    at = before;
  }
  return trace.toReversed();
}
