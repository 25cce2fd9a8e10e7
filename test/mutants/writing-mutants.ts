import type { Mutant } from './mutant.js';

const LEDGER = 'src/feed/writing/ledger.ts';
const BATCH_SELECTION = 'src/feed/writing/batch-selection.ts';
const BATCH = 'src/feed/writing/batch.ts';
const DECIDE = 'src/feed/writing/decide.ts';
const LOCK_ASSETS = 'src/feed/writing/lock-assets.ts';
const WATERMARKS = 'src/feed/watermarks.ts';
const COMMIT_OUTCOME = 'src/feed/writing/commit-outcome.ts';
const WRITTEN_ROWS = 'src/feed/writing/written-rows.ts';
const SQL_LEDGER_STORE = 'src/feed/writing/sql-ledger-store.ts';

/** Defects in writing changes: the lane, a batch, its clock, its COMMIT. */
export const WRITING_MUTANTS: readonly Mutant[] = [
  {
    name: 'a clock in doubt is ignored',
    breaks: 'Changes get permanent dates from a clock that is known to be wrong.',
    spec: 'src/feed/ledger-clock.spec.ts',
    patches: [
      {
        file: LEDGER,
        from: `if (!this.context.clock.mayWrite()) return clockInDoubt();
    // Fail at once`,
        to: '// Fail at once',
      },
    ],
  },
  {
    name: 'two operations on one asset in a batch',
    breaks: 'The second does not see the result of the first, and undoes it.',
    spec: 'src/feed/writing/ledger.spec.ts',
    patches: [
      {
        file: BATCH_SELECTION,
        from: "if (isSecond) return 'skip';",
        to: "if (isSecond && claims.length === 0) return 'skip';",
      },
    ],
  },
  {
    name: 'a small operation overtakes a large one',
    breaks: 'Two changes of an asset are made in another order than they came in.',
    spec: 'src/feed/writing/ledger.spec.ts',
    patches: [{ file: BATCH_SELECTION, from: "if (!fits) return 'stop';", to: "if (!fits) return 'skip';" }],
  },
  {
    name: 'a retry repeats answered operations',
    breaks: 'A retried batch makes changes that were refused or abandoned.',
    spec: 'src/feed/writing/ledger.spec.ts',
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
    name: 'joining operations reuse instants',
    breaks: 'Operations that join a batch late get instants that it has already assigned.',
    spec: 'src/feed/writing/joining.spec.ts',
    patches: [
      {
        file: BATCH,
        from: 'await advanceClock(joined.changes, dated, transaction, context);',
        to: 'dated.changes.push(...joined.changes.map((one) => ({ ...one, us: (dated.changes[0] as DatedChange).us })));',
      },
    ],
  },
  {
    name: 'the batch waits for joining assets',
    breaks: 'The batch has the clock locked and waits for an asset whose owner waits for the clock.',
    spec: 'src/feed/writing/joining.spec.ts',
    patches: [{ file: DECIDE, from: 'transaction.lockFreeAssets(ids)', to: 'transaction.lockAssets(ids)' }],
  },
  {
    name: 'the batch waits for a locked asset',
    breaks: 'One locked asset delays the whole batch until all of it is refused.',
    spec: 'src/feed/writing/lock-assets.spec.ts',
    patches: [{ file: LOCK_ASSETS, from: '(mayWait && wasFree.has(id))', to: 'mayWait' }],
  },
  {
    name: 'a deferred change is lost',
    breaks: 'It is not made when its asset is unlocked, and answered 503.',
    spec: 'src/feed/writing/lock-assets.spec.ts',
    patches: [{ file: DECIDE, from: 'blocked.has(pending) || later.has(pending)', to: 'later.has(pending)' }],
  },
  {
    name: 'a deferred change is made twice',
    breaks: 'Its first COMMIT got no answer, and it is repeated without a check.',
    spec: 'src/feed/writing/lock-assets.spec.ts',
    patches: [
      {
        file: DECIDE,
        from: 'for (const pending of blocked) pending.backOff(lockedElsewhere);',
        to: 'for (const pending of blocked) [pending.attempt] = [undefined, pending.backOff(lockedElsewhere)];',
      },
    ],
  },
  {
    name: 'the candidate ignores instants already shown',
    breaks: 'After a database lost commits, new instants come behind offsets that this process has handed out.',
    spec: 'src/feed/ledger-clock.spec.ts',
    patches: [
      {
        file: WATERMARKS,
        from: 'Math.max(this.known.wallClock.nowUs(), this.known.settled.us + 1)',
        to: 'this.known.wallClock.nowUs()',
      },
    ],
  },
  {
    name: 'only the application’s clock',
    breaks: 'The clock row is not advanced: instants are the time of the process.',
    spec: 'src/feed/writing/ledger.spec.ts',
    patches: [
      {
        file: BATCH,
        from: 'const { lastUs, lastNumber } = await transaction.advanceClock(candidateUs, changes.length, numbers);',
        to: `const { lastNumber } = await transaction.advanceClock(candidateUs, changes.length, numbers);
  const lastUs = candidateUs + changes.length - 1;`,
      },
    ],
  },
  {
    name: 'the clock in a separate transaction',
    breaks: 'The clock’s lock is released before the commit, so a later instant can be visible first.',
    spec: 'src/feed/writing/ledger.spec.ts',
    patches: [
      {
        file: BATCH,
        from: 'const { lastUs, lastNumber } = await transaction.advanceClock(candidateUs, changes.length, numbers);',
        to: `const own = await context.store.begin();
  const { lastUs } = await own.advanceClock(candidateUs, changes.length, undefined);
  await own.commit();
  const lastNumber = numbers === undefined ? 0 : await transaction.takeNumbers(numbers);`,
      },
    ],
  },
  {
    name: 'batches overlap by one instant',
    breaks: 'A batch starts at its last instant, so the next batch gets the same ones.',
    spec: 'src/feed/writing/ledger.spec.ts',
    patches: [{ file: BATCH, from: 'const firstUs = lastUs - changes.length + 1;', to: 'const firstUs = lastUs;' }],
  },
  {
    name: 'an answer before the commit',
    breaks: 'A client is answered for a change that may still be rolled back.',
    spec: 'src/feed/writing/ledger.spec.ts',
    patches: [
      {
        file: BATCH,
        from: `  await commit(transaction, changes, stamped, context, steps);
  context.clock.committed((stamped.at(-1) as Asset).modifiedUs);
  for (const [pending, answer] of answersOf(changes, stamped)) pending.resolve(answer);`,
        to: `  for (const [pending, answer] of answersOf(changes, stamped)) pending.resolve(answer);
  await commit(transaction, changes, stamped, context, steps);
  context.clock.committed((stamped.at(-1) as Asset).modifiedUs);`,
      },
    ],
  },
  {
    name: 'a failed COMMIT counts as committed',
    breaks: 'A rollback at COMMIT (1213 in a cluster) is acknowledged.',
    spec: 'src/feed/writing/ledger.spec.ts',
    patches: [
      {
        file: BATCH,
        from: 'if (!(error instanceof OutcomeUnknownError)) throw error;',
        to: 'if (!(error instanceof OutcomeUnknownError)) return;',
      },
    ],
  },
  {
    name: 'an unknown COMMIT is repeated unchecked',
    breaks: 'A batch whose COMMIT got no answer counts as rolled back, and is made twice.',
    spec: 'src/feed/writing/ledger.spec.ts',
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
    name: 'an unknown COMMIT counts as committed',
    breaks: 'A batch whose COMMIT got no answer is acknowledged without a check.',
    spec: 'src/feed/writing/ledger.spec.ts',
    patches: [
      {
        file: BATCH,
        from: 'await resolveOutcome(stamped, context);',
        to: 'if (context.store.isAway) await resolveOutcome(stamped, context);',
      },
    ],
  },
  {
    name: 'the outcome is read without the clock’s lock',
    breaks: 'The old transaction may still be committed after it was found not to be.',
    spec: 'src/feed/writing/ledger.spec.ts',
    patches: [
      {
        file: COMMIT_OUTCOME,
        from: `    await transaction.lockClock();
`,
        to: '',
      },
    ],
  },
  {
    name: 'an unprovable outcome is repeated',
    breaks: 'Assets that other writers changed since count as proof of a rollback.',
    spec: 'src/feed/writing/ledger.spec.ts',
    patches: [
      {
        file: COMMIT_OUTCOME,
        from: '(rows.get(id)?.version ?? 0) < version',
        to: '(rows.get(id)?.version ?? 0) !== version',
      },
    ],
  },
  {
    name: 'no ROLLBACK after a failure',
    breaks: 'The connection keeps the failed batch’s changes and locks.',
    spec: 'src/feed/writing/ledger.spec.ts',
    patches: [
      {
        file: BATCH,
        from: `    await transaction.rollback();
    throw error;`,
        to: '    throw error;',
      },
    ],
  },
  {
    name: 'drafts have a position in the feed',
    breaks: 'Unpublished assets are listed.',
    spec: 'src/feed/writing/ledger.spec.ts',
    patches: [{ file: WRITTEN_ROWS, from: 'feedUs: listed ? us : null', to: 'feedUs: listed ? us : us' }],
  },
  {
    name: 'a group without its last member',
    breaks: 'One of several assets of a group is not changed.',
    spec: 'src/feed/writing/groups.spec.ts',
    patches: [
      {
        file: DECIDE,
        from: 'decided.changes.push(...decideOne(pending, stored));',
        to: `const made = decideOne(pending, stored);
    decided.changes.push(...(made.length > 1 ? made.slice(0, -1) : made));`,
      },
    ],
  },
  {
    name: '1213 at COMMIT counts as committed',
    breaks: 'A cluster’s certification fails at COMMIT, and the batch is acknowledged.',
    spec: 'src/feed/writing/sql-ledger-store.spec.ts',
    patches: [
      {
        file: SQL_LEDGER_STORE,
        from: `if (this.database.judgeWrite(error) === 'retry' || isNotExecuted(error))
        throw new RetryableError('COMMIT was rolled back', { cause: error });`,
        to: "if (this.database.judgeWrite(error) === 'retry' || isNotExecuted(error)) return;",
      },
    ],
  },
];
