import { describe, expect, it } from '@jest/globals';
import { ApiError } from '../errors/api-error.js';
import { RegistryTime } from '../time/registry-time.js';
import { QUERY_PARAMETERS } from './query-parameters.js';
import { targetOf } from './request-head.js';

const time = new RegistryTime('Europe/Kyiv');
const { offset, at, from, to, dry_run: dryRun, opt_pretty: pretty, acc_token: token, wait } = QUERY_PARAMETERS;
const query = (text: string) => targetOf({ url: `/?${text}` }).query;

describe.each(Object.entries({ offset, at, from, to }))('%s', (name, { read }) => {
  const refusal = (text: string): ApiError['faults'] => {
    try {
      read(query(text), time);
      return [];
    } catch (error) {
      return (error as ApiError).faults;
    }
  };

  it('is read as an instant, and kept as it was sent', () => {
    expect(read(query(`${name}=1970-01-01T03:00:01+03:00`), time)).toEqual({
      text: '1970-01-01T03:00:01+03:00',
      us: 1_000_000,
    });
  });

  it('counts as absent where it is empty', () => {
    for (const text of ['', `${name}=`, name]) expect(read(query(text), time)).toBeUndefined();
  });

  it('is refused by its name where it is none, or is repeated', () => {
    for (const text of [`${name}=x`, `${name}=&${name}=1970-01-01`])
      expect(refusal(text)).toEqual([expect.objectContaining({ location: 'header', name })]);
  });
});

it('opt_pretty is on where it is sent, but for 0 and false', () => {
  for (const text of ['opt_pretty', 'opt_pretty=', 'opt_pretty=1']) expect(pretty.read(query(text))).toBe(true);
  for (const text of ['', 'opt_pretty=0', 'opt_pretty=false']) expect(pretty.read(query(text))).toBe(false);
});

it('wait is of whole seconds, of which more than 60 count as 60', () => {
  const sent = ['', 'wait=', 'wait=7', 'wait=60', 'wait=61', `wait=${'9'.repeat(400)}`];
  expect(sent.map((text) => wait.read(query(text)))).toEqual([0, 0, 7, 60, 60, 60]);
});

it('dry_run is on with 1 and true, off with 0, false and nothing, and anything else is refused', () => {
  const sent = ['dry_run=1', 'dry_run=true', 'dry_run=0', 'dry_run=false', '', 'dryrunning=1', 'a_dry_run=1'];
  expect(sent.map((text) => dryRun.read(query(text)))).toEqual([true, true, false, false, false, false, false]);
  for (const text of ['dry_run', 'dry_run=', 'dry_run=TRUE', 'dry_run=toString', 'dry_run=1&dry_run=1', 'Dry-Run=0'])
    expect(() => dryRun.read(query(text))).toThrow(ApiError);
});

it('acc_token that is empty is none', () => {
  expect(['', 'acc_token=', 'acc_token=t'].map((text) => token.read(query(text)))).toEqual([undefined, undefined, 't']);
});
