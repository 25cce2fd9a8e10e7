import type { Mutant } from './mutant.js';

const SESSION = 'src/database/session.ts';
const STORE = 'src/feed/writing/sql-ledger-store.ts';
const MYSQL = 'src/database/dialects/mysql/mysql.dialect.ts';
const MYSQL_ERRORS = 'src/database/dialects/mysql/mysql-errors.ts';
const SQLITE = 'src/database/dialects/sqlite/sqlite.dialect.ts';
const READER = 'src/database/feed-reader.ts';
const HISTORY = 'src/database/history.ts';
const TWO_PROCESSES = ['concurrency'];

/** Defects of the statements and of how their failures are taken. */
export const DATABASE_MUTANTS: readonly Mutant[] = [
  {
    name: 'the instant read before the lock',
    breaks: 'The clock is read without a lock and set afterwards: two processes are given the same instants.',
    patches: [
      {
        file: MYSQL,
        from: `    const result = await session.execute(
      'UPDATE feed_clock SET last_us = LAST_INSERT_ID(GREATEST(last_us + 1, ?) + ? - 1) WHERE id = 1',
      [BigInt(candidateUs), BigInt(count)],
    );
    return Number(result.insertId);`,
        to: `    const [row] = await session.query<{ last_us: string }>('SELECT last_us FROM feed_clock WHERE id = 1');
    const lastUs = Math.max(Number(row?.last_us) + 1, candidateUs) + count - 1;
    await session.execute('UPDATE feed_clock SET last_us = ? WHERE id = 1', [lastUs]);
    return lastUs;`,
      },
    ],
    e2e: TWO_PROCESSES,
  },
  {
    name: 'the clock of MySQL and MariaDB goes back',
    breaks: 'The wall clock is believed where it is behind the clock row.',
    patches: [
      { file: MYSQL, from: 'LAST_INSERT_ID(GREATEST(last_us + 1, ?) + ? - 1)', to: 'LAST_INSERT_ID(? + ? - 1)' },
    ],
    e2e: ['feed'],
  },
  {
    name: 'the clock of SQLite goes back',
    breaks: 'After a start with a wrong system time, changes come behind the offsets of all mirrors.',
    patches: [{ file: SQLITE, from: 'MAX(last_us + 1, ?) + ? - 1', to: '? + ? - 1' }],
    e2e: ['feed'],
  },
  {
    name: 'a failure is told while statements are on their way',
    breaks: 'What comes behind the ROLLBACK is written by the next transaction.',
    patches: [{ file: SESSION, from: '  await Promise.allSettled(begun);\n', to: '' }],
  },
  {
    name: 'decided on a plain SELECT',
    breaks: 'The rows are not locked, so another process can change them before they are written over.',
    patches: [
      {
        file: STORE,
        from: 'FROM asset WHERE id IN (${placesFor(values)}) ORDER BY id ${lockSql}`',
        to: "FROM asset WHERE id IN (${placesFor(values)}) ORDER BY id ${lockSql && ''}`",
      },
    ],
    e2e: TWO_PROCESSES,
  },
  {
    name: 'a changed asset keeps its place',
    breaks: 'A change leaves feed_us as it was, so nobody who is past it learns of the change.',
    patches: [{ file: STORE, from: `'createdUs').columns`, to: `'createdUs', 'feedUs').columns` }],
    e2e: ['changing', 'listing'],
  },
  {
    name: '1213 at COMMIT taken for a good one',
    breaks: 'A cluster’s certification fails, which only COMMIT says, and the batch is acknowledged.',
    patches: [
      {
        file: STORE,
        from: `if (this.database.judgeWrite(error) === 'retry' || isNotBegun(error))
        throw new RetryableError('COMMIT was rolled back', { cause: error });`,
        to: `if (this.database.judgeWrite(error) === 'retry' || isNotBegun(error)) return;`,
      },
    ],
    e2e: ['database-away'],
    faults: 'lost commits',
  },
  {
    name: 'a lost COMMIT taken for rolled back',
    breaks: 'The connection died under COMMIT, and the batch is made again without looking.',
    patches: [
      {
        file: STORE,
        from: `if (this.database.judgeWrite(error) === 'retry' || isNotBegun(error))`,
        to: `if (this.database.judgeWrite(error) !== 'defect' || isNotBegun(error))`,
      },
    ],
    e2e: ['database-away'],
    faults: 'lost commits',
  },
  {
    name: 'a node outside of its cluster at COMMIT taken for rolled back',
    breaks: '1047 may come after the commit was handed to the others.',
    patches: [
      { file: MYSQL_ERRORS, from: 'const RETRIED = new Set([1213,', to: 'const RETRIED = new Set([1047, 1213,' },
    ],
    e2e: ['database-away'],
    faults: 'lost commits',
  },
  {
    name: '>= in the page’s condition',
    breaks: 'A page repeats the last entry of the one before, for ever where pages have one entry.',
    patches: [{ file: READER, from: 'feed_us > ? AND', to: 'feed_us >= ? AND' }],
    e2e: ['listing'],
  },
  {
    name: '<= in the page’s condition, newest first',
    breaks: 'A descending page repeats the last entry of the one before.',
    patches: [{ file: READER, from: 'AND feed_us < ? ORDER', to: 'AND feed_us <= ? ORDER' }],
    e2e: ['listing'],
  },
  {
    name: 'the clock by a statement of its own',
    breaks: 'The clock is older than the snapshot of the page, which then passes for settled and durable.',
    patches: [
      {
        file: READER,
        from: '    const rows = await this.database.read<FeedRow>(pagesSql(asked,',
        to: `    const [earlier] = await this.database.read<{ last_us: string }>('SELECT last_us FROM feed_clock WHERE id = 1');
    const rows = await this.database.read<FeedRow>(pagesSql(asked,`,
      },
      {
        file: READER,
        from: 'const clock = clockOf(rows);',
        to: 'const clock = { ...clockOf(rows), clockUs: Number(earlier?.last_us) };',
      },
    ],
    faults: 'torn views',
  },
  {
    name: 'MariaDB’s views taken for atomic',
    breaks: 'Every server is believed to open a view at one moment.',
    patches: [
      {
        file: MYSQL,
        from: `return this.server === 'MySQL';`,
        to: `return this.server !== undefined;`,
      },
    ],
    faults: 'torn views',
  },
  {
    name: 'the barrier’s commit changes nothing',
    breaks: 'The flush writes nothing to the log, so what was visible before it is not durable after it.',
    patches: [{ file: HISTORY, from: 'SET n = n + 1 WHERE', to: 'SET n = n WHERE' }],
    e2e: ['flush'],
    faults: 'crashes',
  },
  {
    name: 'no barrier with the binary log off',
    breaks: 'The server’s settings are taken for durable before visible.',
    patches: [
      {
        file: MYSQL,
        from: 'if (flush === 1 && logBin === 1 && syncBinlog === 1)',
        to: 'if (flush === 1 && (logBin === 0 || syncBinlog === 1))',
      },
    ],
    faults: 'crashes',
  },
  {
    name: 'a binary log that is not synced is strict',
    breaks: 'Operators are told that what readers see survives a loss of power.',
    patches: [{ file: MYSQL, from: '&& logBin === 1 && syncBinlog === 1)', to: '&& logBin === 1 && syncBinlog >= 0)' }],
  },
  {
    name: 'wsrep_sync_wait dropped',
    breaks: 'A node of a cluster answers before it has applied what the others had committed.',
    patches: [{ file: MYSQL, from: 'SET SESSION wsrep_sync_wait = 7', to: 'SET SESSION wsrep_sync_wait = 0' }],
  },
  {
    name: 'a frozen process may keep the clock',
    breaks: 'The server does not end a transaction whose process is silent, and nobody can write.',
    patches: [{ file: MYSQL, from: "'idle_transaction_timeout = 5'", to: "'idle_write_transaction_timeout = 5'" }],
    faults: 'frozen processes',
  },
  {
    name: 'instants are not unique in the database',
    breaks: 'The alarm is off: should the clock’s lock ever fail, `>` skips what shares an instant.',
    patches: [
      {
        file: 'src/database/migrations/1700000000000-first-schema.ts',
        from: `columnNames: ['feed_us'], isUnique: true`,
        to: `columnNames: ['feed_us'], isUnique: false`,
      },
      {
        file: 'src/database/entities/asset.entity.ts',
        from: `['feedUs'], { unique: true }`,
        to: `['feedUs'], { unique: false }`,
      },
    ],
    e2e: ['schema'],
  },
  {
    name: 'a clock behind the newest asset is accepted',
    breaks: 'After a restore in part, new changes come behind the offsets of all mirrors.',
    patches: [{ file: HISTORY, from: 'if (Number(row.behind) > 0)', to: 'if (Number(row.behind) > 1)' }],
    e2e: ['database-away'],
  },
  {
    name: 'a batch of single commits',
    breaks: 'Each statement of the lane is committed by itself: a batch can be kept in part.',
    patches: [{ file: MYSQL, from: 'SET SESSION autocommit = 0', to: 'SET SESSION autocommit = 1' }],
    e2e: TWO_PROCESSES,
  },
];
