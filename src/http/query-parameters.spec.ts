import { expect, it } from '@jest/globals';
import { QUERY_PARAMETERS } from './query-parameters.js';
import { targetOf } from './request-target.js';

const { acc_token: token, wait } = QUERY_PARAMETERS;
const query = (text: string) => targetOf({ url: `/?${text}` }).query;

it('wait is in whole seconds, and more than 60 count as 60', () => {
  const sent = ['', 'wait=', 'wait=7', 'wait=60', 'wait=61', `wait=${'9'.repeat(400)}`];
  expect(sent.map((text) => wait.read(query(text)))).toEqual([0, 0, 7, 60, 60, 60]);
});

it('an empty acc_token counts as absent', () => {
  expect(['', 'acc_token=', 'acc_token=t'].map((text) => token.read(query(text)))).toEqual([undefined, undefined, 't']);
});
