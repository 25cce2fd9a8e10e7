import { expect, it } from '@jest/globals';
import { entryText } from './entry.js';

const entry = { asset: '0'.repeat(32), commitment: null, modifiedUs: 1_790_000_000_000_001 };

it.each([
  [0, '1970-01-01T00:00:00.000000Z'],
  [1_790_000_059_999_999, '2026-09-21T14:14:19.999999Z'],
  [Number.MAX_SAFE_INTEGER, '2255-06-05T23:47:34.740991Z'],
  [9_000_000_000_000_000_000, '9999-12-31T00:00:00.000000Z'],
  [-9_000_000_000_000_000_000, '9999-12-31T00:00:00.000000Z'],
  [NaN, '9999-12-31T00:00:00.000000Z'],
])('%d microseconds are %s in an entry', (createdUs, date) =>
  expect(entryText({ ...entry, createdUs })).toBe(
    `{"id":"${entry.asset}","date":"${date}","dateModified":"2026-09-21T14:13:20.000001Z","commitment":null}`,
  ),
);
