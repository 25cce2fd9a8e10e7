import type { AssetType } from '../../asset-types/asset-type.js';
import { fieldsOf } from '../../asset-types/fields.js';
import { type Actor, lifecycleOf, mayWrite, type Move, type State } from '../../asset-types/lifecycle.js';
import type { Asset } from '../../database/entities/asset.entity.js';
import { LOT, shownOf, TriedType } from './tried-type.js';

/*
 * What is wrong with the states and moves of an asset type, tried by its example, each as the rest of a sentence that begins with its name.
 */

type Faults = Generator<string, void>;

const ACTORS: readonly Actor[] = ['owner', 'concierge', 'administrator'];

export function* faultsOfMoves(type: AssetType): Faults {
  const tried = new TriedType(type);
  const refused: string[] = [];
  const assets = tried.inEveryState((move, refusal) => refused.push(toldOfRefusedMove(move, refusal)));
  yield* refused;
  for (const [state, asset] of assets) {
    for (const actor of ACTORS) {
      yield* faultsOfActor(tried, asset, actor);
      if (lifecycleOf(type).states[state]?.final) yield* faultsOfFinal(tried, asset, actor);
      else yield* faultsOfOpen(tried, asset, actor);
    }
  }
  for (const move of lifecycleOf(type).moves) yield* faultsOfRepeat(tried, assets.get(move.from), move);
}

function toldOfRefusedMove({ from, to, by }: Move, refusal: string): string {
  return `the ${by}'s move from ${from} to ${to} is refused (${refusal}). What it needs beside status and relatedLot stands in the example, under moves.${to}; what the ${by} may write in ${from}, in its editors`;
}

/** Tries every move of one actor out of one state: it is made where the table has it, and else refused. */
function* faultsOfActor(tried: TriedType, asset: Asset, actor: Actor): Faults {
  const { states, moves } = lifecycleOf(tried.type);
  const own = fieldsOf(tried.type.dto);
  const { status: from } = asset;
  for (const to of Object.keys(states).filter((state) => state !== from)) {
    const move = moves.find((one) => one.from === from && one.to === to);
    const isTheirs = move !== undefined && (actor === move.by || actor === 'administrator');
    // What the actor could not write is left as it is.
    const asked = Object.entries(tried.patchTo(to));
    const sent = asked.filter(([name]) => name === 'status' || mayWrite(states[from] as State, actor, name, own));
    const { refusal, changed } = tried.change(asset, actor, Object.fromEntries(sent));
    const told = `the ${actor}'s move from ${from} to ${to}`;
    // Without what the example has for the move, the type's own rules may refuse it.
    const isWhole = asked.every(([name]) => !own.has(name) || sent.some(([one]) => one === name));
    if (!isTheirs && refusal !== '403 data') yield `${told} is not in its table, and came to: ${refusal}`;
    // A refusal of the move's own actor is told before.
    if (isTheirs && actor !== move.by && refusal !== 'none' && (isWhole || !refusal.startsWith('422 ')))
      yield `${told} is refused (${refusal})`;
    if (isTheirs && refusal === 'none' && changed?.listed !== states[to]?.listed)
      yield `${told} leads to an asset that is ${changed?.listed ? '' : 'not '}listed`;
  }
}

function* faultsOfFinal(tried: TriedType, asset: Asset, actor: Actor): Faults {
  const { initial } = lifecycleOf(tried.type);
  for (const patch of [{}, shownOf(asset), { relatedLot: LOT }, { x: 1 }, { status: initial }]) {
    const { refusal } = tried.change(asset, actor, patch);
    if (refusal !== '403 data')
      yield `its state ${asset.status} is final, but the ${actor}'s PATCH of ${Object.keys(patch).join(', ') || 'nothing'} came to: ${refusal}`;
  }
}

/** In a state that is not final: what an actor sends back changes nothing, and each field is removed and written by those who may. */
function* faultsOfOpen(tried: TriedType, asset: Asset, actor: Actor): Faults {
  const shown = shownOf(asset);
  const { refusal, changed } = tried.change(asset, actor, shown);
  const told = `in ${asset.status} a whole asset that the ${actor} sends back`;
  if (refusal !== 'none') yield `${told} is refused (${refusal})`;
  else if (changed !== undefined) yield `${told} changes ${changed.changed.join(', ') || 'it'}`;
  const defaults = new tried.type.dto() as Record<string, unknown>;
  // One with a default goes back to it.
  const own = [...fieldsOf(tried.type.dto).keys()].filter((name) => name in shown && defaults[name] === undefined);
  for (const name of own) yield* faultsOfField(tried, asset, actor, name);
}

/** Removes a field of the example, and writes it again. */
function* faultsOfField(tried: TriedType, asset: Asset, actor: Actor, name: string): Faults {
  const { status, body } = asset;
  const { refusal, changed } = tried.change(asset, actor, { [name]: null });
  const expected = expectedOfRemoval(tried.type, status, actor, name);
  const told = `in ${status} the ${actor} removes ${name}`;
  // The type's own rules may refuse what the field's do not, and name other fields with it.
  const byRules = refusal.startsWith('422 ') && (expected === 'none' || refusal.split(' ').includes(name));
  if (refusal !== expected && !(byRules && !expected.startsWith('403 ')))
    yield `${told}: expected ${expected}, and it came to: ${refusal}`;
  if (changed === undefined) return;
  const without = Object.assign({}, asset, changed);
  if (name in shownOf(without)) yield `${told}, but it is still there`;
  const again = tried.change(without, actor, { [name]: shownOf(asset)[name] });
  if (again.changed?.body !== body) yield `${told} and writes it again, but it is not the same (${again.refusal})`;
}

function expectedOfRemoval(type: AssetType, status: string, actor: Actor, name: string): string {
  const own = fieldsOf(type.dto);
  const state = lifecycleOf(type).states[status] as State;
  if (actor !== 'administrator' && state.editors[actor] === undefined) return '403 data';
  if (!mayWrite(state, actor, name, own)) return `403 ${name}`;
  return own.get(name)?.optional ? 'none' : `422 ${name}`;
}

/** A dry run asks first, and then the write does: both must come to the same, and the type's functions change nothing that they see. */
function* faultsOfRepeat(tried: TriedType, asset: Asset | undefined, { from, to, by }: Move): Faults {
  if (asset === undefined) return;
  const [patch, shown] = [tried.patchTo(to), shownOf(asset)];
  const before = JSON.stringify({ patch, shown });
  const [first, second] = [tried.change(asset, by, patch, shown), tried.change(asset, by, patch, shown)];
  if (JSON.stringify(first) !== JSON.stringify(second))
    yield `its move from ${from} to ${to} has another outcome the second time`;
  if (JSON.stringify({ patch, shown }) !== before)
    yield `the effect of its move from ${from} to ${to}, or its check, changes what it is given`;
}
