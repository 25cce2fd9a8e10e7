import { expect, it } from '@jest/globals';
import { faultOf } from './files.js';

const withCode = (code: string): Error => Object.assign(new Error('told by SQLite'), { code });

it.each(['SQLITE_IOERR_READ', 'SQLITE_BUSY'])('%s is told as it is', (code) => {
  const error = withCode(code);
  expect(faultOf('a.sqlite', error)).toBe(error);
});
