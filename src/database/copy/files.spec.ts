import { expect, it } from '@jest/globals';
import { explainWriteError } from './files.js';

const withCode = (code: string): Error => Object.assign(new Error('from SQLite'), { code });

it.each(['SQLITE_IOERR_READ', 'SQLITE_BUSY'])('%s is returned unchanged', (code) => {
  const error = withCode(code);
  expect(explainWriteError('a.sqlite', error)).toBe(error);
});
