import type { Mutant } from './mutant.js';

const BATCH = 'src/feed/writing/batch.ts';
const OUTCOME = 'src/feed/writing/outcome.ts';
const DECIDE = 'src/feed/writing/decide.ts';
const HELD = 'src/feed/writing/held-assets.ts';
const WRITTEN = 'src/feed/writing/written-rows.ts';

/** Defects of a batch: what is stamped, committed, answered, and found out after a COMMIT without an answer. */
export const BATCH_MUTANTS: readonly Mutant[] = [
  {
    name: 'the application’s clock alone',
    breaks: 'No clock row is advanced: instants are what the process takes the time for.',
    patches: [
      {
        file: BATCH,
        from: 'const { lastUs, lastNumber } = await transaction.advanceClock(candidateUs, drafted.length, numbers);',
        to: `const { lastNumber } = await transaction.advanceClock(candidateUs, drafted.length, numbers);
  const lastUs = candidateUs + drafted.length - 1;`,
      },
    ],
  },
  {
    name: 'the clock in a transaction of its own',
    breaks: 'The clock’s lock is let go before the commit, so a later instant can be visible first.',
    patches: [
      {
        file: BATCH,
        from: 'const { lastUs, lastNumber } = await transaction.advanceClock(candidateUs, drafted.length, numbers);',
        to: `const own = await context.store.begin();
  const { lastUs } = await own.advanceClock(candidateUs, drafted.length, undefined);
  await own.commit();
  const lastNumber = numbers === undefined ? 0 : await transaction.takeNumbers(numbers);`,
      },
    ],
  },
  {
    name: 'instants of a batch reach into the next',
    breaks: 'A batch begins at the last of its instants, and the next batch is given the same ones.',
    patches: [{ file: BATCH, from: 'const firstUs = lastUs - drafted.length + 1;', to: 'const firstUs = lastUs;' }],
  },
  {
    name: 'numbers in a transaction of their own',
    breaks: 'A batch that is rolled back leaves a gap in the numbers of its day.',
    patches: [
      {
        file: BATCH,
        from: 'const { lastUs, lastNumber } = await transaction.advanceClock(candidateUs, drafted.length, numbers);',
        to: `const own = await context.store.begin();
  const lastNumber = numbers === undefined ? 0 : await own.takeNumbers(numbers);
  await own.commit();
  const { lastUs } = await transaction.advanceClock(candidateUs, drafted.length, undefined);`,
      },
    ],
  },
  {
    name: 'numbers that were taken for another day are kept',
    breaks: 'A batch over midnight leaves a gap in the numbers of the day that is over.',
    patches: [{ file: WRITTEN, from: 'if (spare > 0) await', to: 'if (spare < 0) await' }],
  },
  {
    name: 'numbers that nobody is left for are kept',
    breaks: 'A batch of which all before midnight are over leaves a gap in the numbers of that day.',
    patches: [
      {
        file: WRITTEN,
        from: 'new Set([...taken.map(({ day }) => day), ...placesByDay.keys()])',
        to: 'placesByDay.keys()',
      },
    ],
  },
  {
    name: 'numbers of the batch alone',
    breaks: 'What has joined a batch is numbered from what was taken for those before it: two assets have one number.',
    patches: [{ file: WRITTEN, from: '(taken.at(-1) as TakenNumbers).last', to: '(taken[0] as TakenNumbers).last' }],
  },
  {
    name: 'the day that was expected',
    breaks: 'An asset is numbered under the day of the wall clock, while its instant is of the next one.',
    patches: [
      {
        file: WRITTEN,
        from: '(us) => numbering.clock.dayOf(us)',
        to: '() => (taken[0] as TakenNumbers).day',
      },
    ],
  },
  {
    name: 'the day of the batch’s first asset',
    breaks: 'A batch over midnight numbers all of its assets under the day that is over.',
    patches: [
      {
        file: WRITTEN,
        from: '(us) => numbering.clock.dayOf(us)',
        to: '() => numbering.clock.dayOf((dated[0] as Dated).us)',
      },
    ],
  },
  {
    name: 'an answer before the commit',
    breaks: 'A client is told of a change that may still be rolled back.',
    patches: [
      {
        file: BATCH,
        from: `  await commit(transaction, drafted, stamped, context, steps);
  context.clock.committed((stamped.at(-1) as Asset).modifiedUs);
  for (const [pending, answer] of answersOf(drafted, stamped)) pending.resolve(answer);`,
        to: `  for (const [pending, answer] of answersOf(drafted, stamped)) pending.resolve(answer);
  await commit(transaction, drafted, stamped, context, steps);
  context.clock.committed((stamped.at(-1) as Asset).modifiedUs);`,
      },
    ],
  },
  {
    name: 'settled before the commit',
    breaks: 'Readers take instants for over, and durable, whose commit is still under way.',
    patches: [
      {
        file: BATCH,
        from: `  await commit(transaction, drafted, stamped, context, steps);
  context.clock.committed((stamped.at(-1) as Asset).modifiedUs);`,
        to: `  context.clock.committed((stamped.at(-1) as Asset).modifiedUs);
  await commit(transaction, drafted, stamped, context, steps);`,
      },
    ],
  },
  {
    name: 'a refused COMMIT taken for a good one',
    breaks: 'What the database rolled back at COMMIT (1213 of a cluster) is acknowledged.',
    patches: [
      {
        file: BATCH,
        from: 'if (!(error instanceof OutcomeUnknownError)) throw error;',
        to: 'if (!(error instanceof OutcomeUnknownError)) return;',
      },
    ],
  },
  {
    name: 'an unknown COMMIT run again blindly',
    breaks: 'A batch whose COMMIT got no answer is taken for rolled back, and made twice.',
    patches: [
      {
        file: BATCH,
        from: 'type LedgerTransaction, OutcomeUnknownError }',
        to: 'type LedgerTransaction, OutcomeUnknownError, RetryableError }',
      },
      {
        file: BATCH,
        from: 'if (!(error instanceof OutcomeUnknownError)) throw error;',
        to: `if (error instanceof OutcomeUnknownError) throw new RetryableError('rolled back');
    if (!(error instanceof OutcomeUnknownError)) throw error;`,
      },
    ],
  },
  {
    name: 'an unknown COMMIT taken for a good one',
    breaks: 'A batch whose COMMIT got no answer is acknowledged without looking.',
    patches: [
      {
        file: BATCH,
        from: 'await resolveOutcome(stamped, context);',
        to: 'if (context.store.isAway) await resolveOutcome(stamped, context);',
      },
    ],
  },
  {
    name: 'the outcome read without the clock’s lock',
    breaks: 'The old transaction may still be committed after it was found not to be.',
    patches: [{ file: OUTCOME, from: '    await transaction.lockClock();\n', to: '' }],
  },
  {
    name: 'a batch that was kept late is made again',
    breaks: 'On a cluster the rows may come after the question: the second attempt has to know its first one.',
    patches: [
      {
        file: BATCH,
        from: 'rememberAttempt(drafted, stamped);',
        to: 'rememberAttempt([], stamped);',
      },
    ],
  },
  {
    name: 'what cannot be known is run again',
    breaks: 'Assets that others have changed since prove nothing, and are taken for a proof.',
    patches: [
      {
        file: OUTCOME,
        from: '(rows.get(id)?.version ?? 0) < version',
        to: '(rows.get(id)?.version ?? 0) !== version',
      },
    ],
  },
  {
    name: 'no ROLLBACK after a failure',
    breaks: 'The connection goes on with what the failed batch had done, and with its locks.',
    patches: [{ file: BATCH, from: '    await transaction.rollback();\n    throw error;', to: '    throw error;' }],
  },
  {
    name: 'locks in the order of the requests',
    breaks: 'Two processes can wait for each other for ever.',
    patches: [{ file: HELD, from: 'lock(ids.toSorted())', to: 'lock(ids)' }],
  },
  {
    name: 'drafts have a place in the feed',
    breaks: 'Everybody sees assets that were not published.',
    patches: [{ file: WRITTEN, from: 'feedUs: listed ? us : null', to: 'feedUs: listed ? us : us' }],
  },
  {
    name: 'a receipt is not looked for',
    breaks: 'A repeat of a creation fails, as its receipt is there already.',
    patches: [{ file: DECIDE, from: "receipts.get(receipt?.id ?? '')", to: 'receipts.get(`${receipt?.id} `)' }],
  },
  {
    name: 'a receipt counts for ever',
    breaks: 'An Idempotency-Key that is used again on another day is answered with the old asset.',
    patches: [
      {
        file: DECIDE,
        from: 'filter(({ createdUs }) => createdUs < oldestUs)',
        to: 'filter(({ createdUs }) => createdUs < Math.min(0, oldestUs))',
      },
    ],
  },
  {
    name: 'the audit without changes',
    breaks: 'Only creations leave a line: nobody can tell who has changed an asset.',
    patches: [
      {
        file: BATCH,
        from: 'const audit = drafted.map(',
        to: 'const audit = drafted.filter(({ current }) => current === undefined).map(',
      },
    ],
  },
  {
    name: 'a group without its last member',
    breaks: 'Several assets are to be changed as one, and one of them is not.',
    patches: [
      {
        file: DECIDE,
        from: 'decided.drafted.push(...(await decideOne(pending, kept, turns)));',
        to: `const made = await decideOne(pending, kept, turns);
    decided.drafted.push(...(made.length > 1 ? made.slice(0, -1) : made));`,
      },
    ],
  },
  {
    name: 'a group without those that are refused',
    breaks: 'Several assets are to be changed as one, one is refused, and the others are changed.',
    patches: [
      {
        file: DECIDE,
        from: 'refusals.size > 0) throw',
        to: 'refusals.size === found.length) throw',
      },
    ],
  },
];
