import { expect, it } from '@jest/globals';
import { prefers } from './request-head.js';

it.each([
  ['text/csv', true],
  ['application/json;q=0.5, text/csv;header=present;q=0.9', true],
  ['application/json;q=0, text/csv;q=0.001, */*', true],
  ['text/csv;q=0.2, application/*;q=0.1, */*', true],
  ['*/*', false],
  ['text/csv, */*', false],
  ['text/csv;q=0.5, application/json;q=0.9', false],
  [',;=,', false],
])('Accept: %s asks for CSV: %s', (accept, expected) => {
  expect(prefers('text/csv', accept)).toBe(expected);
});
