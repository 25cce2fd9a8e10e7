/** A design that is not built: the model explores it and finds it broken (test/feed/feed-model.spec.ts, by this name). */
export interface Refuted {
  name: string;
  breaks: string;
}

export const REFUTED: readonly Refuted[] = [
  { name: 'timestamps of the wall clock', breaks: 'A commit that is late comes behind an offset that was handed out.' },
  {
    name: 'timestamps of the wall clock that never steps back',
    breaks: 'The same without any clock at fault; a margin of a second only asks for a longer delay.',
  },
  { name: 'torn views without a read point', breaks: 'A page shows a later commit without an earlier one.' },
  { name: 'a crash, visible before durable, no barrier', breaks: 'Readers hold what a crash took back.' },
  {
    name: 'the barrier on the last entry of the page',
    breaks: 'What hides an older version is not durable, and the older one comes back behind the offset.',
  },
  {
    name: 'pages that leave out what is not durable',
    breaks: 'An asset whose newest version is left out is not shown with its older one.',
  },
  {
    name: 'torn views, the read point, a crash, no barrier',
    breaks: 'The read point alone does not make visible what is durable.',
  },
  {
    name: 'a follower joins those who were given more',
    breaks: 'What they were given between its last page and then is never sent to it.',
  },
  {
    name: 'who comes in the midst of a round is passed over',
    breaks: 'What was given before it came is never sent to it.',
  },
  {
    name: 'an event is what this process has committed',
    breaks: 'An earlier change of another process comes behind it, and is never sent.',
  },
  {
    name: 'an event is sent before its commit is durable',
    breaks: 'Who follows holds what a crash took back.',
  },
];
