import type { Mutant } from './mutant.js';

const STATES = 'src/feed/reading/public-states.ts';
const WRITING = 'src/database/log/log-writing.ts';
const PUBLISHER = 'src/log/log-publisher.ts';

/** Defects of the log of public states. */
export const LOG_MUTANTS: readonly Mutant[] = [
  {
    name: 'ended states are listed before the present ones',
    breaks: 'A state that ends between the two is in neither list, and the log lacks it for ever.',
    patches: [
      {
        file: STATES,
        from: 'for await (const states of ended.after(afterUs)) {',
        to: 'for (const states of early) {',
      },
      {
        file: STATES,
        from: '    const instants: number[] = [];\n',
        to: '    const instants: number[] = [];\n    const early: { modifiedUs: number; untilUs: number }[][] = [];\n    for await (const states of ended.after(afterUs)) early.push(states);\n',
      },
    ],
  },
  {
    name: 'states are listed beyond the settled instant',
    breaks: 'One that was committed late is in no list: the log has gone past it.',
    patches: [
      {
        file: STATES,
        from: 'beforeUs: settledUs + 1, newestFirst',
        to: 'beforeUs: Number.MAX_SAFE_INTEGER, newestFirst',
      },
    ],
  },
  {
    name: 'a state that ended since it was listed is nobody’s',
    breaks: 'Its entry names no asset and binds nothing, and stays so.',
    patches: [
      {
        file: STATES,
        from: 'if (missing.every(({ modifiedUs }) => ids.has(modifiedUs))) return ids;',
        to: 'if (missing.length > 0) return ids;',
      },
    ],
  },
  {
    name: 'entries are appended to any head',
    breaks: 'Two processes append at the same place.',
    patches: [
      {
        file: WRITING,
        from: 'if (head?.size !== size || isErased) return false;',
        to: 'if (head === undefined || isErased) return false;',
      },
    ],
  },
  {
    name: 'a checkpoint goes back',
    breaks: 'A process that was slow puts an older checkpoint over a newer one that was seen.',
    patches: [
      {
        file: WRITING,
        from: 'if (head?.size !== size) return false;',
        to: 'if (head === undefined || head.size < size) return false;',
      },
    ],
  },
  {
    name: 'a checkpoint before it is durable',
    breaks: 'A crash takes back entries that somebody has a signature of.',
    patches: [
      {
        file: PUBLISHER,
        from: 'if (this.database.needsBarrier()) await this.database.flush();',
        to: 'this.database.needsBarrier();',
      },
    ],
  },
  {
    name: 'whatever the tables hold is signed',
    breaks: 'Somebody changes an entry in the database, and the registry signs two histories.',
    patches: [
      {
        file: PUBLISHER,
        from: 'if (!isSame) throw new ForkedLogError(size);',
        to: 'if (isSame === undefined) throw new ForkedLogError(size);',
      },
    ],
  },
  {
    name: 'leaves are hashed as they are',
    breaks: 'An entry can be made that passes for a part of the tree.',
    patches: [{ file: 'src/log/tree.ts', from: String.raw`const LEAF = '\0';`, to: `const LEAF = '';` }],
  },
  {
    name: 'a witness is believed',
    breaks: 'A checkpoint has cosignatures that nobody gave.',
    patches: [{ file: 'src/log/witnesses.ts', from: 'if (time > 0n && verify(', to: 'if (time > 0n || verify(' }],
  },
  {
    name: 'entries are made of what was erased meanwhile',
    breaks: 'The secret of an entry lets anyone guess the value that was to be gone.',
    patches: [{ file: WRITING, from: 'isErasedSince(session, readUs)', to: 'isErasedSince(session, readUs + 1e15)' }],
  },
];
