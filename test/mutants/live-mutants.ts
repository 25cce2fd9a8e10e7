import type { Mutant } from './mutant.js';

const BROADCAST = 'src/live/change-broadcast.ts';
const FOLLOWER = 'src/live/event-follower.ts';
const PAGES = 'src/listing/feed-pages.ts';

/** Defects of the end of the feed, and of those who wait there. */
export const LIVE_MUTANTS: readonly Mutant[] = [
  {
    name: 'an event that is not settled',
    breaks:
      'The end of the feed is read past what says which changes may be shown: later ones hide an earlier one for ever.',
    patches: [
      {
        file: PAGES,
        from: 'print(await this.feed.read(range))',
        to: `print(await (this.feed as unknown as { feed: ExactFeed }).feed.read(range))`,
      },
    ],
  },
  {
    name: 'an event lost between page and stream',
    breaks: 'Who has read a page joins those who were given more meanwhile.',
    patches: [{ file: BROADCAST, from: '(member.us < this.floorUs || ', to: '(member.us < -1 || ' }],
  },
  {
    name: 'the end of the feed is the time',
    breaks: 'What was committed while a page was read is never given.',
    patches: [
      {
        file: BROADCAST,
        from: 'this.floorUs = us;\n    this.printed',
        to: 'this.floorUs = nowUs();\n    this.printed',
      },
    ],
  },
  {
    name: 'who does not read is forgotten',
    breaks: 'A follower that was slow once is never sent anything again.',
    patches: [
      { file: FOLLOWER, from: 'this.parts.tail.leave(this);\n      this.wake();', to: 'this.parts.tail.leave(this);' },
    ],
  },
  {
    name: 'a stream goes on over an epoch',
    breaks: 'A copy goes on in a history that was replaced.',
    patches: [
      { file: FOLLOWER, from: 'if (page.epoch !== this.epoch) {', to: 'if (page.epoch === undefined) {' },
      { file: FOLLOWER, from: 'page.epoch === this.epoch && ', to: '' },
    ],
    e2e: ['live'],
  },
];
