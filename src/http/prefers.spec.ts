import { expect, it } from '@jest/globals';
import { prefers } from './prefers.js';

it.each([
  ['text/csv', true],
  ['Text/CSV; charset=utf-8', true],
  ['text/csv, */*;q=0.8', true],
  ['application/json;q=0.5, text/csv;header=present;q=0.9', true],
  ['application/json;q=0, text/csv;q=0.001, */*', true],
  ['text/csv;q=0.2, application/*;q=0.1, */*', true],
  [undefined, false],
  ['', false],
  ['*/*', false],
  ['text/*', false],
  ['text/csv, application/json', false],
  ['text/csv, */*', false],
  ['text/csv;q=0', false],
  ['text/csv;q=none', false],
  ['text/csv;q=0.5, application/json;q=0.9', false],
  ['text/csv;q=0.5, */*;q=0.6', false],
  [',;=,', false],
])('Accept: %s asks for CSV: %s', (accept, expected) => {
  expect(prefers('text/csv', accept)).toBe(expected);
});
