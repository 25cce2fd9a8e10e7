import { isLabels } from './labels.js';
import { type Lifecycle, type Move, type State } from './lifecycle.js';

/*
 * What is wrong with states and moves, as a part of a sentence; undefined where they can work. Source: contract section 2.
 */

/** What the name of a field or a state looks like: longer ones would not fit their columns. */
export const NAME = /^[A-Za-z][A-Za-z0-9]{0,31}$/;
const EDITORS: readonly string[] = ['owner', 'concierge'];

/** @param own the fields that the type describes */
export function findFaultOfLifecycle(lifecycle: Lifecycle, own: ReadonlyMap<string, unknown>): string | undefined {
  const { states, moves, initial }: Partial<Lifecycle> = lifecycle;
  if (!isObject(states) || !Array.isArray(moves) || !moves.every(isObject))
    return 'its lifecycle has no states and moves';
  if (!Object.hasOwn(states, String(initial)))
    return `assets are created in the state ${String(initial)}, which it does not have`;
  return (
    firstFault(Object.entries(states), ([name, state]) => faultOfState(name, state, lifecycle, own)) ??
    firstFault(lifecycle.moves, (move) => faultOfMove(move, lifecycle)) ??
    faultOfReach(lifecycle)
  );
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function firstFault<T>(all: readonly T[], faultOf: (one: T) => string | undefined): string | undefined {
  for (const one of all) {
    const fault = faultOf(one);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function faultOfState(
  name: string,
  state: State,
  { moves }: Lifecycle,
  own: ReadonlyMap<string, unknown>,
): string | undefined {
  if (!NAME.test(name)) return `the name of its state ${name} is not a letter, then up to 31 letters and digits`;
  if (!isObject(state) || !isLabels(state.labels))
    return `its state ${name} has no label in Ukrainian (uk) and English (en)`;
  if (typeof state.listed !== 'boolean') return `its state ${name} does not say whether it is listed`;
  if (!isObject(state.editors)) return `its state ${name} does not say who its editors are`;
  const { editors, final = false } = state;
  const fault = firstFault(Object.entries(editors), ([editor, fields]) => faultOfEditor(name, editor, fields, own));
  if (fault !== undefined) return fault;
  const isOver = !moves.some(({ from }) => from === name);
  if (final && !isOver) return `its state ${name} is final, but a move leads out of it`;
  if (final && Object.keys(editors).length > 0) return `its state ${name} is final, but has editors`;
  if (!final && isOver) return `no move leads out of its state ${name}: mark it as final`;
  return undefined;
}

function faultOfEditor(
  state: string,
  editor: string,
  fields: unknown,
  own: ReadonlyMap<string, unknown>,
): string | undefined {
  if (!EDITORS.includes(editor))
    return `its state ${state} names the editor ${editor}: owner and concierge may be named`;
  if (fields === 'own') return undefined;
  if (!Array.isArray(fields))
    return `its state ${state} does not say what the ${editor} may write: 'own', or a list of fields`;
  const unknown = (fields as readonly string[]).find((field) => field !== 'relatedLot' && !own.has(field));
  return unknown === undefined
    ? undefined
    : `its state ${state} lets the ${editor} write ${unknown}, which is no field of it`;
}

/** Sorts out moves that nobody could make, and those that would hide from synchronisers what they have seen. */
function faultOfMove(move: Move, { states, moves }: Lifecycle): string | undefined {
  const { from, to, by } = move;
  const told = `its move from ${from} to ${to}`;
  const missing = [from, to].find((state) => !Object.hasOwn(states, state));
  if (missing !== undefined) return `${told} names the state ${missing}, which it does not have`;
  if (from === to) return `${told} leads nowhere`;
  if (moves.find((other) => other.from === from && other.to === to) !== move) return `${told} is there twice`;
  if (states[from]?.editors[by] === undefined) return `${told} is for the ${by}, who may do nothing in ${from}`;
  if (move.effect !== undefined && typeof move.effect !== 'function') return `the effect of ${told} is no function`;
  if (states[from]?.listed && !states[to]?.listed)
    return `${told} takes an asset out of the listing, so that synchronisers would never hear of it`;
  return undefined;
}

function faultOfReach({ initial, states, moves }: Lifecycle): string | undefined {
  const reached = new Set([initial]);
  // A set goes on with what is added to it while it is walked.
  for (const state of reached) {
    for (const { from, to } of moves) if (from === state) reached.add(to);
  }
  const lost = Object.keys(states).find((state) => !reached.has(state));
  return lost === undefined ? undefined : `no moves lead to its state ${lost}`;
}
