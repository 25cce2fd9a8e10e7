import { describe, expect, it } from '@jest/globals';
import { SqliteDialect } from './sqlite.dialect.js';

it.each([
  ['SQLITE_IOERR_WRITE', 'its file cannot be written: the disk may be full or broken'],
  ['SQLITE_TOOBIG', 'its answer is SQLITE_TOOBIG'],
])('the description of a failure has no path: %s', (code, clause) => {
  const error = Object.assign(new Error('/secret'), { code });
  expect(new SqliteDialect('registry.sqlite').describeFailure(error)).toBe(clause);
});

describe('the refusal to start with an SQLite file', () => {
  it.each([
    ['SQLITE_FULL', 'its disk is full (r.sqlite); make room'],
    ['SQLITE_CANTOPEN', 'its file cannot be opened (r.sqlite); name a file in a folder that the service’s user can write, and make an existing file that user’s'], // prettier-ignore
    ['SQLITE_ERROR', undefined],
  ])('of %s', (code, sentence) => {
    const driverError = Object.assign(new Error('/secret'), { code });
    expect(new SqliteDialect('r.sqlite').describeRefusal({ driverError })).toBe(sentence);
  });
});
