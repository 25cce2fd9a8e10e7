import { describe, expect, it } from '@jest/globals';
import { SqliteDialect } from './sqlite.dialect.js';

it.each([
  ['SQLITE_IOERR_WRITE', 'its file cannot be written: the disk may be full or broken'],
  ['SQLITE_TOOBIG', 'its answer is SQLITE_TOOBIG'],
])('an operator is told of an SQLite file that takes no changes, without its path: %s', (code, clause) => {
  const error = Object.assign(new Error('/secret'), { code });
  expect(new SqliteDialect('registry.sqlite').describeFailure(error)).toBe(clause);
});

describe('what an operator is told of an SQLite file that the service cannot start with', () => {
  it.each([
    ['SQLITE_FULL', 'its disk is full (r.sqlite); make room'],
    ['SQLITE_CANTOPEN', 'its file cannot be opened (r.sqlite); name a file in a folder that the user of the service can write, and where it is there, give it to that user'], // prettier-ignore
    ['SQLITE_ERROR', undefined],
  ])('of %s', (code, sentence) => {
    const driverError = Object.assign(new Error('/secret'), { code });
    expect(new SqliteDialect('r.sqlite').describeRefusal({ driverError })).toBe(sentence);
  });
});
