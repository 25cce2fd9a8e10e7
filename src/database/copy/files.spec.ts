import { expect, it } from '@jest/globals';
import { faultOf } from './files.js';

const withCode = (code: string): Error => Object.assign(new Error('told by SQLite'), { code });

it.each([
  ['SQLITE_FULL', 'its disk is full'],
  ['SQLITE_IOERR', 'its file cannot be written: the disk may be full or broken'],
  ['SQLITE_IOERR_WRITE', 'its file cannot be written: the disk may be full or broken'],
])('%s is told with the file that was written', (code, clause) => {
  expect(faultOf('a.sqlite', withCode(code))).toMatchObject({ message: `while a.sqlite was written: ${clause}` });
});

it.each(['SQLITE_IOERR_READ', 'SQLITE_BUSY'])('%s is told as it is', (code) => {
  const error = withCode(code);
  expect(faultOf('a.sqlite', error)).toBe(error);
});
