/*
 * States and moves as a table. Source: contract section 2. A type may bring its own; the words are the contract's.
 */

/** Who acts on an asset: its owner (a broker with the owner token), the actor that links lots, or the administrator. */
export type Actor = 'owner' | 'concierge' | 'administrator';

export interface State {
  /** Who may change something while the asset is in this state; the administrator may wherever anybody may. None: the state is final. */
  editors: readonly Exclude<Actor, 'administrator'>[];
  /** Shown in the listing. */
  listed: boolean;
  /** The asset must be linked to a lot. */
  needsLot?: boolean;
}

export interface Move {
  from: string;
  to: string;
  /** The administrator may make every move. */
  by: Exclude<Actor, 'administrator'>;
}

export interface Lifecycle {
  /** The state of a new asset. */
  initial: string;
  states: Readonly<Record<string, State>>;
  moves: readonly Move[];
}

/** What an asset has unless its type says otherwise. */
export const STANDARD_LIFECYCLE: Lifecycle = {
  initial: 'draft',
  states: {
    draft: { editors: ['owner'], listed: false },
    pending: { editors: ['owner', 'concierge'], listed: true },
    active: { editors: ['concierge'], listed: true, needsLot: true },
    complete: { editors: [], listed: true },
    deleted: { editors: [], listed: true },
  },
  moves: [
    { from: 'draft', to: 'pending', by: 'owner' },
    { from: 'pending', to: 'deleted', by: 'owner' },
    { from: 'pending', to: 'active', by: 'concierge' },
    { from: 'active', to: 'pending', by: 'concierge' },
    { from: 'active', to: 'complete', by: 'concierge' },
  ],
};
