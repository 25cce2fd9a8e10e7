import { describe, expect, it } from '@jest/globals';
import { stateIn } from './mysql-probe.js';

describe('a look at a table', () => {
  it.each([
    ['held where it waited in vain', 'held', { errno: 1205 }],
    ['free where it was answered', 'free', null],
    ['free where the user has no right to it', 'free', { errno: 1142 }],
    ['unknown where the server has no connection left', 'unknown', { errno: 1040 }],
    ['unknown where nobody listens', 'unknown', { errno: -111, code: 'ECONNREFUSED' }],
    ['unknown where the connection breaks', 'unknown', { code: 'PROTOCOL_CONNECTION_LOST' }],
  ])('finds it %s', (_, state, error) => {
    expect(stateIn(error && Object.assign(new Error('x'), error))).toBe(state);
  });
});
