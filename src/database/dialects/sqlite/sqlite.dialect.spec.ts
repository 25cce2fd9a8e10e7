import { describe, expect, it } from '@jest/globals';
import { SqliteDialect } from './sqlite.dialect.js';

describe('what an operator is told of an SQLite file that takes no changes', () => {
  it.each([
    ['SQLITE_FULL', 'its disk is full'],
    ['SQLITE_IOERR_WRITE', 'its file cannot be written: the disk may be full or broken'],
    ['SQLITE_READONLY_DBMOVED', 'its file is read-only'],
    ['SQLITE_CANTOPEN', 'its file cannot be opened'],
    ['SQLITE_BUSY_SNAPSHOT', 'another process holds its file'],
    ['SQLITE_TOOBIG', 'its answer is SQLITE_TOOBIG'],
  ])('of %s', (code, clause) => {
    expect(new SqliteDialect('registry.sqlite').describeFailure(Object.assign(new Error('/secret'), { code }))).toBe(
      clause,
    );
  });
});

describe('what an operator is told of an SQLite file that the service cannot start with', () => {
  it.each([
    ['SQLITE_BUSY', 'another process holds its file (r.sqlite); end that process first, perhaps the version that served so far'], // prettier-ignore
    ['SQLITE_FULL', 'its disk is full (r.sqlite); make room'],
    ['SQLITE_READONLY_DIRECTORY', 'its file is read-only (r.sqlite); let the user of the service write the file and its folder'], // prettier-ignore
    ['SQLITE_CANTOPEN', 'its file cannot be opened (r.sqlite); name a file in a folder that the user of the service can write, and where it is there, give it to that user'], // prettier-ignore
    ['SQLITE_NOTADB', 'its file is no SQLite database, or is damaged (r.sqlite); name another file, or put a backup in its place'], // prettier-ignore
    ['SQLITE_ERROR', undefined],
  ])('of %s', (code, sentence) => {
    const driverError = Object.assign(new Error('/secret'), { code });
    expect(new SqliteDialect('r.sqlite').describeRefusal({ driverError })).toBe(sentence);
  });
});
