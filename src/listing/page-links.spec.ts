import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Origin } from '../http/origin.js';
import { targetOf } from '../http/request-target.js';
import { nextPage, prevPage } from './page-links.js';

const OFFSET = '2017-08-16T18:36:13.882146+03:00';
const ENCODED = '2017-08-16T18%3A36%3A13.882146%2B03%3A00';

const origin = (query: string): Origin => ({
  base: 'http://host',
  ...targetOf({ url: `/api/0/assets?${query}` }),
});

describe('next_page', () => {
  it.each([
    ['', `offset=${ENCODED}`],
    ['limit=5', `limit=5&offset=${ENCODED}`],
    ['offset=x&limit=5', `offset=${ENCODED}&limit=5`],
    ['acc_token=secret&limit=5', `limit=5&offset=${ENCODED}`],
    ['feed=changes&mode=_all_&opt_fields=', `feed=changes&mode=_all_&opt_fields=&offset=${ENCODED}`],
    ['x=%3E%22&y', `x=%3E%22&y=&offset=${ENCODED}`],
  ])('after %j is %j', (sent, expected) => {
    expect(nextPage(origin(sent), OFFSET)).toEqual({
      offset: OFFSET,
      path: `/api/0/assets?${expected}`,
      uri: `http://host/api/0/assets?${expected}`,
    });
  });

  it('holds nothing that could end a Link header', () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ unit: 'grapheme' }), (name, value) => {
        const { path } = nextPage(origin(`${encodeURIComponent(name)}=${encodeURIComponent(value)}`), OFFSET);
        return !/[<>"\s\r\n]/.test(path);
      }),
    );
  });

  it('is read again as it was written', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), fc.string({ unit: 'grapheme' }), (name, value) => {
        fc.pre(name !== 'offset' && name !== 'acc_token');
        const { path } = nextPage(origin(`${encodeURIComponent(name)}=${encodeURIComponent(value)}`), OFFSET);
        const { query } = targetOf({ url: path });
        return query.get(name) === value && query.get('offset') === OFFSET;
      }),
    );
  });
});

describe('prev_page', () => {
  it('goes the other way', () => {
    expect(prevPage(origin('limit=5&offset=x'), OFFSET, false).path).toBe(
      `/api/0/assets?limit=5&offset=${ENCODED}&descending=1`,
    );
    expect(prevPage(origin('descending=1&limit=5'), OFFSET, true).path).toBe(`/api/0/assets?limit=5&offset=${ENCODED}`);
  });
});
