import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Origin } from '../http/origins.js';
import { mayHoldToken, targetOf } from '../http/request-target.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import { listingQueryOf, nextPage } from './feed-pages.js';

const OFFSET = '2017-08-16T18:36:13.882146+03:00';
const time = new RegistryTime('Europe/Kyiv');

it('an offset parses to its instant, however a client encodes it', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4e15 }), fc.boolean(), (us, encoded) => {
      const offset = time.print(us);
      const { query } = targetOf({ url: `/x?offset=${encoded ? encodeURIComponent(offset) : offset}` });
      expect(listingQueryOf(query, time)).toMatchObject({ offset, offsetUs: us });
    }),
  );
});

describe('next_page', () => {
  const origin = (query: string): Origin => ({
    base: 'http://host',
    ...targetOf({ url: `/api/0/assets?${query}` }),
  });

  it.each([
    'acc_token=secret',
    'acc%5Ftoken=secret&%61cc_token=secret',
    'ACC_TOKEN=secret&accToken=secret&access-token=secret',
    'acc_token[]=secret&+acc_token=secret&amp;acc_token=secret',
    'acc%255Ftoken=secret&acc_token%=secret',
    'opt_fields=title;acc_token=secret&feed=x?acc_token=secret',
  ])('does not repeat a token, in any spelling: %s', (sent) => {
    expect(nextPage(origin(`${sent}&x=1`), OFFSET).path).toBe(`/api/0/assets?x=1&offset=${encodeURIComponent(OFFSET)}`);
  });

  it('contains no character that could end a Link header', () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ unit: 'grapheme' }), (name, value) => {
        const { path } = nextPage(origin(`${encodeURIComponent(name)}=${encodeURIComponent(value)}`), OFFSET);
        return !/[<>"\s\r\n]/.test(path);
      }),
    );
  });

  it('is parsed to the same parameters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), fc.string({ unit: 'grapheme' }), (name, value) => {
        fc.pre(name !== 'offset' && !mayHoldToken({ name, value }));
        const { path } = nextPage(origin(`${encodeURIComponent(name)}=${encodeURIComponent(value)}`), OFFSET);
        const { query } = targetOf({ url: path });
        return query.get(name) === value && query.get('offset') === OFFSET;
      }),
    );
  });
});
