import type { Mutant } from './mutant.js';

const LISTING = 'src/listing/listing.controller.ts';
const TIME = 'src/time/registry-time.ts';

/** Defects of the links, and of how instants are printed and read. */
export const LISTING_MUTANTS: readonly Mutant[] = [
  {
    name: 'prev_page one row off',
    breaks: 'Who goes back from a page misses its first entry’s neighbour.',
    patches: [{ file: LISTING, from: '[entries[0], ', to: '[entries[1] ?? entries[0], ' }],
    e2e: ['listing'],
  },
  {
    name: 'an empty page without an offset',
    breaks: 'A mirror that is in step begins again from the beginning.',
    patches: [
      {
        file: LISTING,
        from: 'last ?? offset);',
        to: `last ?? '');`,
      },
    ],
    e2e: ['listing'],
  },
  {
    name: 'offsets in milliseconds',
    breaks: 'An offset stands before its own entry, and before others of the same millisecond.',
    patches: [
      {
        file: TIME,
        from: 'sixDigits(usOfMinute - second * US_PER_SECOND)',
        to: 'sixDigits(Math.floor((usOfMinute - second * US_PER_SECOND) / 1_000) * 1_000)',
      },
    ],
  },
  {
    name: 'offsets compared as local text',
    breaks: 'The UTC offset of an offset is not read: in autumn an hour of changes is behind it.',
    patches: [
      {
        file: TIME,
        from: 'zone === undefined ? this.earliestOffset(localMs) : parseOffset(zone)',
        to: `zone === 'Z' ? 0 : this.earliestOffset(localMs)`,
      },
    ],
  },
  {
    name: 'the later of two local times',
    breaks: 'An offset without a zone in the hour that comes twice skips an hour of changes.',
    patches: [{ file: TIME, from: 'return Math.max(...(real.length', to: 'return Math.min(...(real.length' }],
  },
];
