import { isLabels } from './labels.js';
import { type Lifecycle, type Move, type State } from './lifecycle.js';

/*
 * Checks of states and moves; each fault completes a sentence (asset-type-faults.ts). Source: contract section 2.
 */

/** Names of fields and states; longer ones would not fit their columns. */
export const NAME = /^[A-Za-z][A-Za-z0-9]{0,31}$/;
const EDITORS: readonly string[] = ['owner', 'concierge'];

type Faults = Generator<string, void>;

/** @param own the fields that the type describes */
export function* faultsOfLifecycle(lifecycle: Lifecycle, own: ReadonlyMap<string, unknown>): Faults {
  const { states, moves, initial }: Partial<Lifecycle> = lifecycle;
  if (!isObject(states) || !Array.isArray(moves) || !moves.every(isObject))
    return yield 'its lifecycle has no states and moves';
  if (!Object.hasOwn(states, String(initial)))
    return yield `assets are created in the state ${String(initial)}, which it does not have`;
  for (const [name, state] of Object.entries(states)) yield* faultsOfState(name, state, lifecycle, own);
  for (const move of lifecycle.moves) yield* faultsOfMove(move, lifecycle);
  yield* faultsOfReach(lifecycle);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function* faultsOfState(name: string, state: State, { moves }: Lifecycle, own: ReadonlyMap<string, unknown>): Faults {
  if (!NAME.test(name)) yield `the name of its state ${name} is not a letter, then up to 31 letters and digits`;
  if (!isObject(state) || !isLabels(state.labels))
    return yield `its state ${name} has no label in Ukrainian (uk) and English (en)`;
  if (typeof state.listed !== 'boolean') yield `its state ${name} does not say whether it is listed`;
  if (!isObject(state.editors)) return yield `its state ${name} does not say who its editors are`;
  const { editors, final = false } = state;
  for (const [editor, fields] of Object.entries(editors)) yield* faultsOfEditor(name, editor, fields, own);
  const isOver = !moves.some(({ from }) => from === name);
  if (final && !isOver) yield `its state ${name} is final, but a move leads out of it`;
  if (final && Object.keys(editors).length > 0) yield `its state ${name} is final, but has editors`;
  if (!final && isOver) yield `no move leads out of its state ${name}: mark it as final`;
}

function* faultsOfEditor(state: string, editor: string, fields: unknown, own: ReadonlyMap<string, unknown>): Faults {
  if (!EDITORS.includes(editor))
    return yield `its state ${state} names the editor ${editor}: owner and concierge may be named`;
  if (fields === 'own') return;
  if (!Array.isArray(fields))
    return yield `its state ${state} does not say what the ${editor} may write: 'own', or a list of fields`;
  for (const field of fields as readonly string[]) {
    if (field !== 'relatedLot' && !own.has(field))
      yield `its state ${state} lets the ${editor} write ${field}, which is not a field of the type`;
  }
}

/** Finds moves that no actor can make, and moves out of the listing, which synchronisers would miss. */
function* faultsOfMove(move: Move, { states, moves }: Lifecycle): Faults {
  const { from, to, by } = move;
  const subject = `its move from ${from} to ${to}`;
  const missing = [from, to].find((state) => !Object.hasOwn(states, state));
  if (missing !== undefined) return yield `${subject} names the state ${missing}, which it does not have`;
  if (from === to) return yield `${subject} leads to the same state`;
  if (moves.find((other) => other.from === from && other.to === to) !== move)
    return yield `${subject} is defined twice`;
  if (states[from]?.editors?.[by] === undefined) yield `${subject} is for the ${by}, who may do nothing in ${from}`;
  if (move.effect !== undefined && typeof move.effect !== 'function')
    yield `the effect of ${subject} is not a function`;
  if (states[from]?.listed && !states[to]?.listed)
    yield `${subject} takes an asset out of the listing, which synchronisers would not notice`;
}

function* faultsOfReach({ initial, states, moves }: Lifecycle): Faults {
  const reached = new Set([initial]);
  // A Set also iterates over values added meanwhile.
  for (const state of reached) {
    for (const { from, to } of moves) if (from === state) reached.add(to);
  }
  for (const state of Object.keys(states)) if (!reached.has(state)) yield `no moves lead to its state ${state}`;
}
