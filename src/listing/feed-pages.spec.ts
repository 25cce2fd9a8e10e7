import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ApiError } from '../errors/api-error.js';
import { mayHoldToken, targetOf } from '../http/request-head.js';
import { EncodedText } from '../text/encoded-text.js';
import { RegistryTime } from '../time/registry-time.js';
import { entryPrinter, type ListingQuery, listingQueryOf, nextPage, prevPage } from './feed-pages.js';
import type { Origin } from '../http/exchange.js';

const time = new RegistryTime('Europe/Kyiv');
const read = (query: string): ListingQuery => listingQueryOf(targetOf({ url: `/x?${query}` }).query, time);

/** `400 limit`: status and name of what a query is refused with. */
function refusal(query: string): string {
  try {
    read(query);
    return 'none';
  } catch (error) {
    const { status, faults } = error as ApiError;
    return [status, ...faults.map(({ location, name }) => `${location} ${name}`)].join(' ');
  }
}

it.each(['', 'offset=&limit=&descending=&opt_fields=', 'feed=changes&mode=_all_&x=1'])(
  '%j asks for the first page',
  (query) => {
    const { sent: _, ...rest } = read(query);
    expect(rest).toEqual({ limit: 100, offset: undefined, offsetUs: undefined, newestFirst: false, fields: [] });
  },
);

describe('limit', () => {
  it.each([
    ['1', 1],
    ['007', 7],
    ['1000', 1000],
    ['1001', 1000],
    ['9'.repeat(400), 1000],
  ])('%s is %d', (text, limit) => expect(read(`limit=${text}`).limit).toBe(limit));

  it.each(['0', '00', '-1', '+1', '1.5', '1e2', '0x10', 'ten', '%201', '1%0A', '%D9%A1'])('%s is refused', (text) => {
    expect(refusal(`limit=${text}`)).toBe('400 header limit');
  });
});

describe('offset', () => {
  const OFFSET = '2017-08-16T18:36:13.882146+03:00';
  const US = 1_502_897_773_882_146;

  it.each(['2017-08-16T18:36:13.882146%2B03:00', '2017-08-16T18:36:13.882146+03:00', encodeURIComponent(OFFSET)])(
    '%s is understood, and a lost plus put back',
    (sent) => expect(read(`offset=${sent}`)).toMatchObject({ offset: OFFSET, offsetUs: US }),
  );

  it('is kept as it was sent otherwise', () => {
    expect(read('offset=2017-08-16T15:36:13.882146Z')).toMatchObject({
      offset: '2017-08-16T15:36:13.882146Z',
      offsetUs: US,
    });
    expect(read('offset=2017-08-16T18:36:13.882146+0300')).toMatchObject({
      offset: '2017-08-16T18:36:13.882146+0300',
      offsetUs: US,
    });
  });

  it.each(['x', '0', '2017-08-16+18:36', '2017-08-16T18:36:13++03:00', '%20', '2017-13-01'])(
    '%s is refused',
    (text) => {
      expect(refusal(`offset=${text}`)).toBe('400 header offset');
    },
  );

  it('that was handed out leads back to the same instant, however a client encodes it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e15 }), fc.boolean(), (us, encoded) => {
        const offset = time.print(us);
        expect(read(`offset=${encoded ? encodeURIComponent(offset) : offset}`)).toMatchObject({ offset, offsetUs: us });
      }),
    );
  });
});

describe('descending', () => {
  it.each(['1', 'True', 'true', 'yes', 'False'])('%s is on', (text) =>
    expect(read(`descending=${text}`).newestFirst).toBe(true),
  );
  it.each(['', '0', 'false'])('%j is off', (text) => expect(read(`descending=${text}`).newestFirst).toBe(false));
});

describe('opt_fields', () => {
  it.each([
    ['status', ['status']],
    ['status,title', ['status', 'title']],
    ['status,,+title+', ['status', 'title']],
    ['__proto__', ['__proto__']],
    ['*', '*'],
    ['status,*', '*'],
  ])('%s asks for %j', (text, fields) => expect(read(`opt_fields=${text}`).fields).toEqual(fields));
});

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
    ['acc%5Ftoken=secret&%61cc_token=secret', `offset=${ENCODED}`],
    ['ACC_TOKEN=secret&accToken=secret&access-token=secret', `offset=${ENCODED}`],
    ['acc_token[]=secret&+acc_token=secret&amp;acc_token=secret', `offset=${ENCODED}`],
    ['acc%255Ftoken=secret&acc_token%=secret&x=1', `x=1&offset=${ENCODED}`],
    ['opt_fields=title;acc_token=secret&feed=x?acc_token=secret', `offset=${ENCODED}`],
    ['opt_fields=accuracy,tokens', `opt_fields=accuracy%2Ctokens&offset=${ENCODED}`],
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
        fc.pre(name !== 'offset' && !mayHoldToken({ name, value }));
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

describe('the entries of a page', () => {
  const id = 'f'.repeat(32);
  const modifiedUs = 1_500_000_001_000_002;
  const asset = {
    id,
    assetId: 'UA-2017-07-14-000001',
    assetType: 'basic',
    owner: 'broker',
    status: 'pending',
    relatedLot: null,
    body: EncodedText.from(Buffer.from('{"title":"x","quantity":5}')),
    createdUs: modifiedUs,
    modifiedUs,
  };
  const entry = { id, modifiedUs, asset };
  const START = `{"id":"${id}","dateModified":"2017-07-14T05:40:01.000002+03:00"`;

  it('have the fields that were asked for, in that order, and each once', () => {
    const print = entryPrinter(['quantity', 'x', 'id', 'title', 'quantity'], time);
    expect(String(print(entry))).toBe(`${START},"quantity":5,"title":"x"}`);
  });

  it('take no longer where very many were asked for: they are looked at once', () => {
    let looks = 0;
    const names = Array.from({ length: 5_000 }, (_, i) => `${i}`);
    const print = entryPrinter(
      new Proxy(names, {
        get(target, name) {
          looks++;
          return Reflect.get(target, name) as unknown;
        },
      }),
      time,
    );
    const before = looks;
    for (let i = 0; i < 10; i++) print(entry);
    expect(looks - before).toBeLessThan(names.length);
  });
});
