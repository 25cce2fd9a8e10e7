import type { AssetType } from '../asset-type.js';
import { type Lifecycle, STANDARD_LIFECYCLE } from '../lifecycle.js';
import type { FieldFault } from '../fields-json.js';
import example from './claim-rights.example.json' with { type: 'json' };
import { ClaimRights } from './claim-rights.dto.js';

const { states, moves } = STANDARD_LIFECYCLE;

/** The concierge verifies a claim before it goes to a lot. A claim that fails goes back to its broker and loses its lot. */
const lifecycle: Lifecycle = {
  initial: 'draft',
  states: {
    ...states,
    verification: {
      labels: { uk: 'Перевіряється', en: 'Being verified' },
      listed: true,
      editors: { concierge: ['relatedLot'] },
    },
  },
  moves: [
    ...moves.filter(({ from, to }) => from !== 'pending' || to !== 'active'),
    { from: 'pending', to: 'verification', by: 'concierge' },
    { from: 'verification', to: 'active', by: 'concierge' },
    { from: 'verification', to: 'pending', by: 'concierge', effect: () => ({ relatedLot: null }) },
  ],
};

/** The registry is public, so it refuses names of natural persons. */
function check({ debt }: ClaimRights): FieldFault[] {
  return debt.debtorType === 'naturalPerson' && debt.debtorName !== undefined
    ? [{ name: 'debt.debtorName', description: 'The name of a natural person may not be published' }]
    : [];
}

export const claimRights: AssetType<ClaimRights> = {
  name: 'claimRights',
  labels: { uk: 'Право вимоги', en: 'Right of claim' },
  dto: ClaimRights,
  example,
  lifecycle,
  check,
};
