import type { Mutant } from './mutant.js';

const OWNERSHIP = 'src/assets/ownership-change.ts';

/** Defects of how an asset goes to another broker. */
export const TRANSFER_MUTANTS: readonly Mutant[] = [
  {
    name: 'the old owner token stays',
    breaks: 'Who has taken an asset over cannot change it, and the new token opens nothing.',
    patches: [
      {
        file: OWNERSHIP,
        from: 'owner: taker, tokenDigest,',
        to: 'owner: taker, tokenDigest: tokenDigest && asset.tokenDigest,',
      },
    ],
    e2e: ['ownership'],
  },
  {
    name: 'a transfer code is good twice',
    breaks: 'Who has heard of a code takes the asset away from who took it over.',
    patches: [
      {
        file: 'src/feed/writing/batch.ts',
        from: '(operation.usesCode ? operation.ids : [])',
        to: '(operation.usesCode ? [] : [])',
      },
    ],
    e2e: ['ownership'],
  },
  {
    name: 'a new transfer code leaves the earlier one',
    breaks: 'A code that was withdrawn takes the asset over.',
    patches: [
      {
        file: 'src/database/transfer-codes.ts',
        from: "CODES.without('id').columns",
        to: "CODES.without('id', 'digest').columns",
      },
    ],
    e2e: ['ownership'],
  },
  {
    name: 'a transfer code is good for ever',
    breaks: 'A code from last year takes the asset over.',
    patches: [{ file: OWNERSHIP, from: 'code.expiresUs > nowUs', to: 'code.expiresUs > Math.min(nowUs, 0)' }],
    e2e: ['ownership'],
  },
  {
    name: 'a repeated takeover is decided anew',
    breaks: 'Who lost the answer to its takeover is told that the code is wrong, and owns an asset without a token.',
    patches: [
      {
        file: 'src/assets/asset-writer.ts',
        from: 'checkNotDone(kept, asked.receipt)',
        to: 'checkNotDone(kept, kept && undefined)',
      },
    ],
    e2e: ['ownership-repeats'],
  },
  {
    name: 'a takeover leaves no receipt',
    breaks: 'No takeover is known when it comes again.',
    patches: [{ file: 'src/assets/ownership.service.ts', from: '{ ...wanted, receipt }', to: '{ ...wanted }' }],
    e2e: ['ownership-repeats'],
  },
  {
    name: 'an Idempotency-Key is good for every takeover',
    breaks: 'Who takes another asset over with a key that it used is told of the first one, and owns nothing more.',
    patches: [
      {
        file: 'src/auth/repeatable.ts',
        from: 'if (kept.bodyDigest !== bodyDigest) throw',
        to: 'if (kept.bodyDigest !== bodyDigest && bodyDigest === undefined) throw',
      },
    ],
    e2e: ['ownership-repeats'],
  },
];
