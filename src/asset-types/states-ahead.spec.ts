import { describe, expect, it } from '@jest/globals';
import { claimRights } from './claim-rights/claim-rights.asset-type.js';
import { statesAhead } from './states-ahead.js';
import { lifecycleOf, STANDARD_LIFECYCLE } from './lifecycle.js';

describe('the states ahead of an asset', () => {
  it.each([
    ['draft', ['pending', 'active', 'complete']],
    ['pending', ['active', 'complete']],
    ['active', ['complete']],
    ['complete', []],
    ['deleted', []],
    ['unknown', []],
  ])('of the standard lifecycle, from %s, lead to the farthest final state and never back', (state, ahead) => {
    expect(statesAhead(STANDARD_LIFECYCLE, state)).toEqual(ahead);
  });

  it('follow the lifecycle of its type', () => {
    expect(statesAhead(lifecycleOf(claimRights), 'pending')).toEqual(['verification', 'active', 'complete']);
    expect(statesAhead(lifecycleOf(claimRights), 'verification')).toEqual(['active', 'complete']);
  });

  it('are none if no state is final', () => {
    const { draft, pending } = STANDARD_LIFECYCLE.states;
    const moves = [{ from: 'draft', to: 'pending', by: 'owner' } as const];
    expect(statesAhead({ initial: 'draft', states: { draft, pending }, moves }, 'draft')).toEqual([]);
  });
});
