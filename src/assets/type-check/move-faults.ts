import type { AssetType } from '../../asset-types/asset-type.js';
import { fieldsOf } from '../../asset-types/fields.js';
import { type Actor, lifecycleOf, mayWrite, type Move, type State } from '../../asset-types/lifecycle.js';
import type { Asset } from '../../database/entities/asset.entity.js';
import { LOT, shownOf, TypeSimulator } from './type-simulator.js';

/*
 * Tests the states and moves of an asset type with its example. Each fault completes a sentence that begins with the type's name.
 */

type Faults = Generator<string, void>;

const ACTORS: readonly Actor[] = ['owner', 'concierge', 'administrator'];

export function* faultsOfMoves(type: AssetType): Faults {
  const simulator = new TypeSimulator(type);
  const refused: string[] = [];
  const assets = simulator.assetsByState((move, refusal) => refused.push(describeRefusedMove(move, refusal)));
  yield* refused;
  for (const [state, asset] of assets) {
    for (const actor of ACTORS) {
      yield* faultsOfActor(simulator, asset, actor);
      if (lifecycleOf(type).states[state]?.final) yield* faultsOfFinal(simulator, asset, actor);
      else yield* faultsOfOpen(simulator, asset, actor);
    }
  }
  for (const move of lifecycleOf(type).moves) yield* faultsOfRepeat(simulator, assets.get(move.from), move);
}

function describeRefusedMove({ from, to, by }: Move, refusal: string): string {
  return `the ${by}'s move from ${from} to ${to} is refused (${refusal}). Add fields that it needs in addition to status and relatedLot to the example, under moves.${to}, and fields that the ${by} may write in ${from} to its editors`;
}

/** Tries every move of one actor from one state: it must succeed if the lifecycle has it for the actor, and be refused otherwise. */
function* faultsOfActor(simulator: TypeSimulator, asset: Asset, actor: Actor): Faults {
  const { states, moves } = lifecycleOf(simulator.type);
  const fields = fieldsOf(simulator.type.dto);
  const { status: from } = asset;
  for (const to of Object.keys(states).filter((state) => state !== from)) {
    const move = moves.find((one) => one.from === from && one.to === to);
    const isTheirs = move !== undefined && (actor === move.by || actor === 'administrator');
    // Omits fields that the actor may not write.
    const needed = Object.entries(simulator.patchTo(to));
    const sent = needed.filter(([name]) => name === 'status' || mayWrite(states[from] as State, actor, name, fields));
    const { refusal, changed } = simulator.change(asset, actor, Object.fromEntries(sent));
    const subject = `the ${actor}'s move from ${from} to ${to}`;
    // Without all fields that the example has for the move, the type's rules may refuse it.
    const isComplete = needed.every(([name]) => !fields.has(name) || sent.some(([one]) => one === name));
    if (!isTheirs && refusal !== '403 data') yield `${subject} is not in its table, but the result is: ${refusal}`;
    // A refusal of the actor in the lifecycle is reported by assetsByState.
    if (isTheirs && actor !== move.by && refusal !== 'none' && (isComplete || !refusal.startsWith('422 ')))
      yield `${subject} is refused (${refusal})`;
    if (isTheirs && refusal === 'none' && changed?.listed !== states[to]?.listed)
      yield `${subject} leads to an asset that is ${changed?.listed ? '' : 'not '}listed`;
  }
}

function* faultsOfFinal(simulator: TypeSimulator, asset: Asset, actor: Actor): Faults {
  const { initial } = lifecycleOf(simulator.type);
  for (const patch of [{}, shownOf(asset), { relatedLot: LOT }, { x: 1 }, { status: initial }]) {
    const { refusal } = simulator.change(asset, actor, patch);
    if (refusal !== '403 data')
      yield `its state ${asset.status} is final, but the ${actor}'s PATCH of ${Object.keys(patch).join(', ') || 'nothing'} has the result: ${refusal}`;
  }
}

/** In a state that is not final: sending the asset back changes nothing, and only permitted actors may remove and write each field. */
function* faultsOfOpen(simulator: TypeSimulator, asset: Asset, actor: Actor): Faults {
  const shown = shownOf(asset);
  const { refusal, changed } = simulator.change(asset, actor, shown);
  const subject = `in ${asset.status} a whole asset that the ${actor} sends back`;
  if (refusal !== 'none') yield `${subject} is refused (${refusal})`;
  else if (changed !== undefined) yield `${subject} changes ${changed.changed.join(', ') || 'it'}`;
  const defaults = new simulator.type.dto() as Record<string, unknown>;
  // A removed field with a default gets that value instead.
  const fields = [...fieldsOf(simulator.type.dto).keys()].filter(
    (name) => name in shown && defaults[name] === undefined,
  );
  for (const name of fields) yield* faultsOfField(simulator, asset, actor, name);
}

/** Removes a field of the example, and writes it again. */
function* faultsOfField(simulator: TypeSimulator, asset: Asset, actor: Actor, name: string): Faults {
  const { status, body } = asset;
  const { refusal, changed } = simulator.change(asset, actor, { [name]: null });
  const expected = expectedOfRemoval(simulator.type, status, actor, name);
  const subject = `in ${status} the ${actor} removes ${name}`;
  // The type's rules may refuse more than the field's, and name other fields, too.
  const isRefusedByType = refusal.startsWith('422 ') && (expected === 'none' || refusal.split(' ').includes(name));
  if (refusal !== expected && !(isRefusedByType && !expected.startsWith('403 ')))
    yield `${subject}: expected ${expected}, but the result is: ${refusal}`;
  if (changed === undefined) return;
  const without = Object.assign({}, asset, changed);
  if (name in shownOf(without)) yield `${subject}, but it is still there`;
  const again = simulator.change(without, actor, { [name]: shownOf(asset)[name] });
  if (again.changed?.body !== body) yield `${subject} and writes it again, but it is not the same (${again.refusal})`;
}

function expectedOfRemoval(type: AssetType, status: string, actor: Actor, name: string): string {
  const fields = fieldsOf(type.dto);
  const state = lifecycleOf(type).states[status] as State;
  if (actor !== 'administrator' && state.editors[actor] === undefined) return '403 data';
  if (!mayWrite(state, actor, name, fields)) return `403 ${name}`;
  return fields.get(name)?.optional ? 'none' : `422 ${name}`;
}

/** A dry run and the later write must have the same result, so the type's functions must be deterministic and not modify their arguments. */
function* faultsOfRepeat(simulator: TypeSimulator, asset: Asset | undefined, { from, to, by }: Move): Faults {
  if (asset === undefined) return;
  const [patch, shown] = [simulator.patchTo(to), shownOf(asset)];
  const before = JSON.stringify({ patch, shown });
  const [first, second] = [simulator.change(asset, by, patch, shown), simulator.change(asset, by, patch, shown)];
  if (JSON.stringify(first) !== JSON.stringify(second))
    yield `its move from ${from} to ${to} has another outcome the second time`;
  if (JSON.stringify({ patch, shown }) !== before)
    yield `the effect of its move from ${from} to ${to}, or its check, changes what it is given`;
}
