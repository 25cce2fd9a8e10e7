import type { Mutant } from './mutant.js';

const HISTORY = 'src/feed/reading/asset-history.ts';
const PAST = 'src/database/past-asset.ts';
const KEPT = 'src/database/kept-body.ts';

/** Defects of what is kept and told of what assets were. */
export const HISTORY_MUTANTS: readonly Mutant[] = [
  {
    name: 'a change leaves no revision',
    breaks: 'Nobody can tell any more what an asset was.',
    patches: [
      {
        file: 'src/feed/writing/batch.ts',
        from: 'created, changed, revisions, receipts',
        to: 'created, changed, revisions: revisions.slice(drafted.length), receipts',
      },
    ],
  },
  {
    name: 'revisions of drafts are public',
    breaks: 'What a broker wrote before the publication can be read by anyone.',
    patches: [
      {
        file: 'src/feed/writing/written-rows.ts',
        from: 'listed: feedUs === null ? 0 : 1',
        to: 'listed: feedUs === null ? 1 : 1',
      },
    ],
  },
  {
    name: 'the publication tells what it changed',
    breaks: 'The names of the fields that the draft’s last change changed are public.',
    patches: [{ file: HISTORY, from: 'change?.wasListed === true', to: 'change !== undefined' }],
  },
  {
    name: 'a torn history is believed',
    breaks: 'A history of MariaDB shows a change without the one before it.',
    patches: [{ file: HISTORY, from: 'modifiedUs > settledUs;', to: 'modifiedUs > Math.max(settledUs, Infinity);' }],
  },
  {
    name: 'an instant is not waited for',
    breaks: 'What is answered for an instant changes when a commit of before comes after the answer.',
    patches: [{ file: HISTORY, from: 'if (us > this.settled.us) await', to: 'if (us > Infinity) await' }],
  },
  {
    name: 'a history before it is durable',
    breaks: 'A crash takes back a state that was shown.',
    patches: [
      { file: HISTORY, from: 'await this.durable.waitFor(now.modifiedUs);', to: 'void this.durable;' },
      { file: HISTORY, from: 'await this.durable.waitFor(past.asset.modifiedUs);', to: 'void this.durable;' },
    ],
  },
  {
    name: 'a revision that was over counts',
    breaks: 'At an instant of which nothing is known an earlier state is shown as that of the instant.',
    patches: [{ file: PAST, from: 'state.untilUs <= us', to: 'state.untilUs <= 0' }],
  },
  {
    name: 'a torn past is believed',
    breaks: 'MariaDB says that an asset was not there at an instant at which it was.',
    patches: [{ file: HISTORY, from: '|| missingUs <= settledUs', to: '|| missingUs <= settledUs + Infinity' }],
  },
  {
    name: 'a body is put together over a gap',
    breaks: 'An asset is shown as it never was.',
    patches: [{ file: PAST, from: 'before.untilUs !== state.modifiedUs', to: 'before.untilUs > state.modifiedUs' }],
  },
  {
    name: 'a body that was put together wrongly is shown',
    breaks: 'Somebody has changed a body in the database, and an asset is shown as it never was.',
    patches: [{ file: PAST, from: 'if (!isSound(state, body))', to: 'if (isSound(state, body) === undefined)' }],
  },
  {
    name: 'a body is cut inside of a character',
    breaks: 'A house that another one replaced comes back as two signs of something lost.',
    patches: [{ file: KEPT, from: 'isFirstHalf(one.charCodeAt(count - 1))', to: 'isFirstHalf(NaN)' }],
  },
];
