import type { Mutant } from './mutant.js';

const JUDGE = 'src/clock/clock-judge.ts';
const FAULT = 'src/clock/clock-fault.ts';

/** Defects of how a wrong clock is known, and of what is done while it is not believed. */
export const CLOCK_MUTANTS: readonly Mutant[] = [
  {
    name: 'a doubt is not heard',
    breaks: 'Changes are written with a time that is known to be wrong, and are dated so for ever.',
    patches: [
      {
        file: 'src/feed/writing/ledger.ts',
        from: 'if (!this.context.clock.mayWrite()) return clockInDoubt();\n    // It would fail',
        to: '// It would fail',
      },
    ],
  },
  {
    name: 'one reading is enough for a doubt',
    breaks: 'A process that was stopped at the wrong moment takes no changes, with a clock that is right.',
    patches: [{ file: JUDGE, from: 'i < READINGS && fault', to: 'i < READINGS - 2 && fault' }],
  },
  {
    name: 'a slow answer vouches for a step',
    breaks: 'A step is followed on the word of an answer that fits both clocks.',
    patches: [{ file: JUDGE, from: ' && system.toUs - system.fromUs <= this.bounds.stepUs', to: '' }],
  },
  {
    name: 'a slow answer is a wrong one',
    breaks: 'A busy database makes a clock that is right a doubtful one.',
    patches: [{ file: FAULT, from: 'databaseUs - toUs > stepUs', to: 'databaseUs - fromUs > stepUs' }],
  },
  {
    name: 'what was accepted is in doubt again',
    breaks: 'An operator has decided, and nothing is written all the same.',
    patches: [{ file: FAULT, from: 'lastUs - leadUs - nowUs > stepUs', to: 'lastUs - nowUs > stepUs' }],
  },
  {
    name: 'a long rest is a doubt, though two clocks agree',
    breaks: 'A registry that nobody wrote to over a holiday waits for an operator.',
    patches: [{ file: FAULT, from: 'isAlone ? jumpUs : longestRestUs({ jumpUs })', to: 'jumpUs' }],
  },
  {
    name: 'assets are numbered by a day that is not',
    breaks: 'Behind a last instant in 2046 every assetID says 2046, though the clock is right again.',
    patches: [
      {
        file: 'src/feed/known-clocks.ts',
        from: 'us - nowUs > mostLeadUs ? nowUs : us',
        to: 'us - nowUs > mostLeadUs ? us : us',
      },
    ],
  },
];
