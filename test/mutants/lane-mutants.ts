import type { Mutant } from './mutant.js';

const BATCH = 'src/feed/writing/batch.ts';
const DECIDE = 'src/feed/writing/decide.ts';
const LEDGER = 'src/feed/writing/ledger.ts';
const CHOICE = 'src/feed/writing/batch-choice.ts';

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
        from: 'const claims = [...ids, ...(receipt === undefined ? [] : [receipt.id])];',
        to: 'const claims = [...ids, ...(receipt === undefined ? [] : [])];',
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
        file: 'src/feed/writing/create-ledger.ts',
        from: 'Math.max(wallClock.nowUs(), settled.us + 1)',
        to: 'wallClock.nowUs()',
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
        file: 'src/feed/writing/decide.ts',
        from: '!operation.creates || operation.mayExist === true || attempt !== undefined',
        to: '!operation.creates || attempt !== undefined',
      },
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
