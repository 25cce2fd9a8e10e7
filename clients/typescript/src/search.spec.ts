import { expect, it } from '@jest/globals';
import { UnexpectedAnswer } from './errors.js';
import { followSearch, SearchPage, searchQuery } from './search.js';

it.each([
  [0.000_000_5, '0.0000005'],
  [0.000_000_123_456_789_012_345, '0.000000123456789012345'],
  [49_999.99, '49999.99'],
  [1e21, '1000000000000000000000'],
  ['1e-7', '1e-7'],
])('a search for amounts up to %s asks for %s', (valueTo, printed) => {
  expect(searchQuery({ currency: 'UAH', valueTo })).toEqual({ currency: 'UAH', valueTo: printed });
});

it('a search is not read forever if a page links to itself', async () => {
  const answer = { next_page: { offset: '' }, data: [{ id: 'i', dateModified: 'd' }] };
  const read = async (): Promise<SearchPage> =>
    new SearchPage({ status: 200, headers: {}, text: JSON.stringify(answer) });
  await expect(followSearch(read, {}).next()).rejects.toThrow(UnexpectedAnswer);
});
