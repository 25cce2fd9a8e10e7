import type { Mutant } from './mutant.js';

const BATCH = 'src/feed/writing/batch.ts';
const DECIDE = 'src/feed/writing/decide.ts';
const LEDGER = 'src/feed/writing/ledger.ts';
const CHOICE = 'src/feed/writing/lane-choice.ts';
const HELD = 'src/feed/writing/held-assets.ts';
const LINK = 'src/forwarding/writer-link.ts';

/** Defects of the lane: what goes into a batch, what is tried again, and the time that is asked for. */
export const LANE_MUTANTS: readonly Mutant[] = [
  {
    name: 'two operations on one asset in a batch',
    breaks: 'The second one does not see what the first has done, and undoes it.',
    patches: [
      {
        file: CHOICE,
        from: "if (isSecond) return 'leave';",
        to: "if (isSecond && claims.length === 0) return 'leave';",
      },
    ],
  },
  {
    name: 'two creations with one receipt in a batch',
    breaks: 'An Idempotency-Key that comes twice at once creates two assets, or fails.',
    patches: [
      {
        file: CHOICE,
        from: 'return [...ids, ...(receipt === undefined ? [] : [receipt.id])];',
        to: 'return [...ids, ...(receipt === undefined ? [] : [])];',
      },
    ],
  },
  {
    name: 'a small operation overtakes a large one',
    breaks: 'Two changes of an asset are made in another order than they came in.',
    patches: [{ file: CHOICE, from: "if (!fits) return 'end';", to: "if (!fits) return 'leave';" }],
  },
  {
    name: 'a retry runs what was answered',
    breaks: 'What was refused, or is over, is done all the same when its batch is tried again.',
    patches: [
      {
        file: LEDGER,
        from: `      const left = batch.filter((pending) => !pending.settled);
      if (left.length === 0) return;`,
        to: `      const left = batch.filter((pending) => pending !== undefined);
      if (left.length === 0) return;`,
      },
    ],
  },
  {
    name: 'what nobody waits for is begun',
    breaks: 'A client that was told 503 finds its change made afterwards, though it had not begun.',
    patches: [
      {
        file: CHOICE,
        from: '.filter((pending) => !pending.settled);',
        to: ';',
      },
      {
        file: LEDGER,
        from: `      const left = batch.filter((pending) => !pending.settled);
      if (left.length === 0) return;`,
        to: `      const left = batch.filter((pending) => !pending.settled || attempt === 1);
      if (left.length === 0) return;`,
      },
    ],
  },
  {
    name: 'what joins a batch has its instants',
    breaks: 'What came while the clock was waited for gets instants that the batch has given out.',
    patches: [
      {
        file: BATCH,
        from: 'await advanceClock(more.drafted, given, transaction, context);',
        to: 'given.drafted.push(...more.drafted.map((one) => ({ ...one, us: (given.drafted[0] as Dated).us })));',
      },
    ],
  },
  {
    name: 'what joins a batch is waited for',
    breaks: 'Who holds the clock waits for an asset of somebody who waits for the clock.',
    patches: [{ file: DECIDE, from: 'transaction.lockFreeAssets(ids)', to: 'transaction.lockAssets(ids)' }],
  },
  {
    name: 'an asset that somebody holds is waited for',
    breaks: 'All others of its batch wait with it, until all of them are refused.',
    patches: [{ file: HELD, from: '(mayWait && wasHeldUp)', to: '(mayWait || wasHeldUp)' }],
  },
  {
    name: 'an asset that somebody holds is taken for free',
    breaks: 'It is waited for again and again, and all others of its batches with it.',
    patches: [
      {
        file: HELD,
        from: 'if (!heldIds.has(id)) this.asked.delete(id);\n    this.note(held);',
        to: 'if (heldIds.size >= 0) this.asked.delete(id);',
      },
    ],
  },
  {
    name: 'an asset that somebody holds is taken for absent',
    breaks: 'Its change is answered 404.',
    patches: [{ file: HELD, from: 'missing.length === 0 ?', to: 'missing.length >= 0 ?' }],
  },
  {
    name: 'a change that was held up is lost',
    breaks: 'It is not made when its asset is let go, and answered 503.',
    patches: [{ file: DECIDE, from: 'heldUp.has(pending) || later.has(pending)', to: 'later.has(pending)' }],
  },
  {
    name: 'a change that was held up is made twice',
    breaks: 'Its COMMIT had got no answer before, and it is made again without looking.',
    patches: [
      {
        file: DECIDE,
        from: 'for (const pending of heldUp) pending.wasHeldUp = true;',
        to: 'for (const pending of heldUp) [pending.wasHeldUp, pending.attempt] = [true, undefined];',
      },
    ],
  },
  {
    name: 'a change that is held up takes room',
    breaks: 'Batches are full of what cannot be changed, and the others wait.',
    patches: [
      {
        file: CHOICE,
        from: "if (this.isHeldUp(pending)) return 'rest';",
        to: "if (this.isHeldUp(pending) && this.count < 0) return 'rest';",
      },
    ],
  },
  {
    name: 'a change that is held up saves turns',
    breaks: 'Its account goes before all others, for as long as it has waited.',
    patches: [{ file: 'src/feed/writing/fair-queue.ts', from: 'if (resting > 0 &&', to: 'if (resting < 0 &&' }],
  },
  {
    name: 'what is over at the clock is written',
    breaks: 'A client that was told 503 while the clock was waited for finds its change made afterwards.',
    patches: [{ file: BATCH, from: 'given.drafted.filter(({ pending }) => !pending.settled)', to: 'given.drafted' }],
  },
  {
    name: 'a bad operation takes its batch with it',
    breaks: 'Sixty-three others fail for one that the database does not take.',
    patches: [{ file: LEDGER, from: 'if (!away && batch.length > 1)', to: 'if (!away && batch.length > 1_000)' }],
  },
  {
    name: 'the candidate forgets what was seen',
    breaks: 'After a database fell back, new instants come behind offsets that this process has handed out.',
    patches: [
      {
        file: 'src/feed/known-clocks.ts',
        from: 'Math.max(this.known.wallClock.nowUs(), this.known.settled.us + 1)',
        to: 'this.known.wallClock.nowUs()',
      },
    ],
  },
  {
    name: 'the wall clock follows every step',
    breaks: 'One wrong hour of the system’s time is in the feed for an hour.',
    patches: [
      {
        file: 'src/clock/wall-clock.ts',
        from: 'if (Math.abs(deviationMs) <= FOLLOWED_MS) {',
        to: 'if (Math.abs(deviationMs) <= Infinity) {',
      },
    ],
  },
  {
    name: 'a creation that was on the way is made again',
    breaks: 'The worker that wrote it died after its commit, and another does not look for it.',
    patches: [
      {
        file: HELD,
        from: '!operation.creates || operation.mayExist === true || attempt !== undefined',
        to: '!operation.creates || attempt !== undefined',
      },
    ],
  },
  {
    name: 'a worker that is frozen is waited for',
    breaks: 'Each write waits for it until its deadline, though whoever was asked could write.',
    patches: [{ file: LINK, from: 'return performance.now() > this.wordDueMs;', to: 'return this.wordDueMs < 0;' }],
  },
  {
    name: 'any number of bytes wait for a worker',
    breaks: 'A worker that reads nothing fills the memory of the others, and all that they were asked is 503.',
    patches: [
      { file: LINK, from: 'this.lines.waitingBytes < this.limits.waitingBytes', to: 'this.lines.waitingBytes >= 0' },
    ],
  },
  {
    name: 'a change that was on the way is made again',
    breaks: 'The worker that wrote it died, and another makes the change again over what came between.',
    patches: [
      {
        file: 'src/forwarding/host-writer.ts',
        from: '    throw unavailable();',
        to: '    if (again.waitedMs < Infinity) return writeHere(again);\n    throw unavailable();',
      },
    ],
  },
];
