import type { Labels } from './labels.js';

/*
 * States and moves as a table. Source: contract section 2. A type may bring its own; the words are the contract's.
 */

/** In which part somebody acts on an asset: as its owner (a broker with the owner token), as the one that links lots, or as administrator. */
export type Actor = 'owner' | 'concierge' | 'administrator';

/** The actors that a state gives rights to; the administrator needs none, and may make any move and write `relatedLot` alone. */
export type Editor = Exclude<Actor, 'administrator'>;

export interface State {
  /** What the public reads: what has become of the asset, such as "Sold", rather than the word of the API. */
  labels: Labels;
  /** Shown in the listing. What has been shown stays shown, so no move leads back. */
  listed: boolean;
  /**
   * Who may change something here, and which fields beside `status`: every one of the type's own (`own`), or those that are named,
   * `relatedLot` among them. Nobody: the state is final.
   */
  editors: Readonly<Partial<Record<Editor, 'own' | readonly string[]>>>;
  /** The asset must be linked to a lot. */
  needsLot?: boolean;
  /** Nothing leads out of it, and nobody changes anything there. */
  final?: boolean;
}

export interface Move {
  from: string;
  to: string;
  /** The administrator may make every move. */
  by: Editor;
  /**
   * What the move changes beside the status: a JSON Merge Patch of the type's own fields and `relatedLot`, applied after the request's.
   * Asked under lock, so it looks at nothing else and waits for nothing; asked in a dry run as well, so it leaves nothing behind.
   * @param asset as anyone sees it, with what the request changes
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

/** Each of its states may be taken over by its name. */
type StandardLifecycle = Lifecycle & {
  states: Readonly<Record<'draft' | 'pending' | 'active' | 'complete' | 'deleted', State>>;
};

/** What an asset has unless its type says otherwise. */
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

/** The states and moves of an asset type: its own, or the standard ones. */
export function lifecycleOf({ lifecycle }: { lifecycle?: Lifecycle }): Lifecycle {
  return lifecycle ?? STANDARD_LIFECYCLE;
}

/** Whether an actor may change a field of an asset in a state; `own` are the fields that the asset's type describes. */
export function mayWrite(state: State, actor: Actor, field: string, own: ReadonlyMap<string, unknown>): boolean {
  if (actor === 'administrator') return field === 'relatedLot';
  const fields = state.editors[actor];
  if (fields === undefined) return false;
  return fields === 'own' ? own.has(field) : fields.includes(field);
}

/** Whether an asset may be created with a field: its owner is a broker, and may write it in the first state. */
export function mayCreateWith(
  { initial, states }: Lifecycle,
  field: string,
  own: ReadonlyMap<string, unknown>,
): boolean {
  return mayWrite(states[initial] as State, 'owner', field, own);
}
