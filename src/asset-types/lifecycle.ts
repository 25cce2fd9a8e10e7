import type { Labels } from './labels.js';

/*
 * States and moves as a table. Source: contract section 2. A type may define its own.
 */

/** The role in which an account acts on an asset: its owner (a broker with the owner token), the concierge, who links lots, or administrator. */
export type Actor = 'owner' | 'concierge' | 'administrator';

/** The actors that a state gives rights to. The administrator needs none: it may make every move, and write only `relatedLot`. */
export type Editor = Exclude<Actor, 'administrator'>;

export interface State {
  /** Shown to the public; says what has become of the asset, such as "Sold". */
  labels: Labels;
  /** Shown in the listing. No move may lead from a listed state to one that is not. */
  listed: boolean;
  /**
   * The fields, besides `status`, that each editor may change in this state: all of the type (`own`), or a list, which may include
   * `relatedLot`. Empty for a final state.
   */
  editors: Readonly<Partial<Record<Editor, 'own' | readonly string[]>>>;
  /** The asset must be linked to a lot. */
  needsLot?: boolean;
  /** No moves lead out of it, and it has no editors. */
  final?: boolean;
}

export interface Move {
  from: string;
  to: string;
  /** The administrator may make every move. */
  by: Editor;
  /**
   * Changes of the move besides the status: a JSON Merge Patch of the type's fields and `relatedLot`, applied after the request's. It runs
   * while the asset is locked and in dry runs, so it must be synchronous and without side effects.
   * @param asset the public asset with the request's changes
   */
  effect?(asset: Readonly<Record<string, unknown>>): Record<string, unknown>;
}

export interface Lifecycle {
  /** The state of a new asset. */
  initial: string;
  states: Readonly<Record<string, State>>;
  moves: readonly Move[];
}

const LOT = ['relatedLot'];

/** Types may reuse its states by name. */
type StandardLifecycle = Lifecycle & {
  states: Readonly<Record<'draft' | 'pending' | 'active' | 'complete' | 'deleted', State>>;
};

/** The lifecycle of a type that defines none. */
export const STANDARD_LIFECYCLE: StandardLifecycle = {
  initial: 'draft',
  states: {
    draft: { labels: { uk: 'Чернетка', en: 'Draft' }, listed: false, editors: { owner: 'own' } },
    pending: {
      labels: { uk: 'Опубліковано', en: 'Published' },
      listed: true,
      editors: { owner: 'own', concierge: LOT },
    },
    active: {
      labels: { uk: 'У складі лота', en: 'In a lot' },
      listed: true,
      editors: { concierge: LOT },
      needsLot: true,
    },
    complete: { labels: { uk: 'Продано', en: 'Sold' }, listed: true, editors: {}, final: true },
    deleted: { labels: { uk: 'Вилучено', en: 'Withdrawn' }, listed: true, editors: {}, final: true },
  },
  moves: [
    { from: 'draft', to: 'pending', by: 'owner' },
    { from: 'pending', to: 'deleted', by: 'owner' },
    { from: 'pending', to: 'active', by: 'concierge' },
    { from: 'active', to: 'pending', by: 'concierge' },
    { from: 'active', to: 'complete', by: 'concierge' },
  ],
};

export function lifecycleOf({ lifecycle }: { lifecycle?: Lifecycle }): Lifecycle {
  return lifecycle ?? STANDARD_LIFECYCLE;
}

/** Whether an actor may change a field of an asset in a state. @param own the fields of the asset's type */
export function mayWrite(state: State, actor: Actor, field: string, own: ReadonlyMap<string, unknown>): boolean {
  if (actor === 'administrator') return field === 'relatedLot';
  const fields = state.editors[actor];
  if (fields === undefined) return false;
  return fields === 'own' ? own.has(field) : fields.includes(field);
}

/** Whether a new asset may have a field: its owner may write it in the initial state. */
export function mayCreateWith(
  { initial, states }: Lifecycle,
  field: string,
  own: ReadonlyMap<string, unknown>,
): boolean {
  return mayWrite(states[initial] as State, 'owner', field, own);
}
