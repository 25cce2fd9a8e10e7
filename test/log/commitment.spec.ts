import { describe, expect, it } from '@jest/globals';
import { SERVICE_FIELDS } from '../../src/asset-types/service-fields.js';
import { commitmentOf, erasedOpening, isBound } from '../../clients/tlog/src/commitment.js';
import type { Opening } from '../../clients/tlog/src/opened-state.js';

const SECRET = Buffer.alloc(32, 7);
const whole: Opening = { secret: SECRET.toString('base64') };

const asset = (): Record<string, unknown> => ({
  id: '96da8406093f4c6c9f3e9e32edf34033',
  status: 'pending',
  title: 'Земельна ділянка',
  value: { amount: 1.5, currency: 'UAH' },
  assetCustodian: { contactPoint: { telephone: '+380441234567' }, name: 'Фонд' },
  items: [{ 'a/b~c': null, address: {} }, { ok: true }],
  documents: [],
  date: '2026-11-23T20:00:00+02:00',
  dateModified: '2026-11-23T20:00:01+02:00',
});

describe('a commitment', () => {
  const commitment = commitmentOf(asset(), SECRET);

  it('is the one of the decision', () => {
    // Computed by another program, in Python, from the text of decision 61.
    const one = {
      id: 'i',
      status: 'pending',
      value: { currency: 'UAH', amount: 1.5 },
      title: 'Земля',
      items: [{}, { 'a/b~c': null }],
    };
    expect(commitmentOf(one, SECRET)).toBe('wAIEfX0c0e0oY+O6SctFuNHZfgXAKTv77kEZTGxwcow=');
    expect(erasedOpening(one, whole, ['/title'])).toEqual({
      secrets: ['TQ+n9rw4P6EwHmDYCLVKQcyq1NYRGHTTLTIzAzo6mQZO', '6q3ESC4YBZt/jsQOOW/Vh4iYQwfjV1ibBfAoFKlA7Q=='],
      erased: { '/title': 'ENiUJkqHfVjQd/bF5I3Ly/Ja47oAEa08pJTrUZpl6QY=' },
    });
  });

  it('binds texts of any length', () => {
    for (const length of [100, 600, 700, 2_000, 100_000]) {
      const long = { title: 'Ї'.repeat(length), ['n'.repeat(length)]: 1, after: 'a' };
      const opening = erasedOpening(long, whole, ['/after']);
      expect(isBound(long, whole, commitmentOf(long, SECRET))).toBe(true);
      const { after: _, ...left } = long;
      const redacted = [{ pointer: '/after', reason: 'r', at: 'now' }];
      expect(isBound({ ...left, redacted }, opening, commitmentOf(long, SECRET))).toBe(true);
    }
  });

  it('binds lists of any length, and names that objects have anyway', () => {
    const items = Array.from({ length: 9_000 }, (_, i) => i);
    const strange = JSON.parse('{"__proto__":{"constructor":1},"":{"":"a"}}') as Record<string, unknown>;
    for (const long of [{ items }, { ...asset(), others: items.slice(0, 9) }, strange, {}])
      expect(isBound(long, whole, commitmentOf(long, SECRET))).toBe(true);
    const opening = erasedOpening(strange, whole, ['/__proto__/constructor']);
    const left = JSON.parse('{"__proto__":{},"":{"":"a"}}') as Record<string, unknown>;
    expect(isBound(left, opening, commitmentOf(strange, SECRET))).toBe(true);
  });

  it('binds no state that is deeper than any asset', () => {
    const deep = (depth: number): Record<string, unknown> =>
      JSON.parse(`{"deep":${'['.repeat(depth)}1${']'.repeat(depth)}}`) as Record<string, unknown>;
    expect(isBound(deep(60), whole, commitmentOf(deep(60), SECRET))).toBe(true);
    for (const depth of [70, 40_000]) {
      expect(() => commitmentOf(deep(depth), SECRET)).toThrow(RangeError);
      expect(isBound(deep(depth), whole, commitment)).toBe(false);
    }
  });

  it('binds the asset, whatever the order of its members', () => {
    expect(isBound(asset(), whole, commitment)).toBe(true);
    expect(isBound(Object.fromEntries(Object.entries(asset()).toReversed()), whole, commitment)).toBe(true);
  });

  it.each([
    ['another value', { title: 'Земельна ділянкa' }],
    ['a member more', { description: '' }],
    ['a member less', { title: undefined }],
    ['another type', { value: { amount: '1.5', currency: 'UAH' } }],
    ['an item more', { documents: [{}] }],
    ['items in another order', { items: [{ ok: true }, { 'a/b~c': null, address: {} }] }],
    // The entry contains the dates, and erasures are not bound.
    ...[...SERVICE_FIELDS]
      .filter((name) => !['date', 'dateModified', 'redacted'].includes(name))
      .map((name): [string, object] => [`another ${name}`, { [name]: 'other' }]),
  ])('does not bind %s', (_, change) => {
    const other = JSON.parse(JSON.stringify({ ...asset(), ...change })) as Record<string, unknown>;
    expect(isBound(other, whole, commitment)).toBe(false);
  });

  it('is another one with another secret', () => {
    expect(commitmentOf(asset(), Buffer.alloc(32, 8))).not.toBe(commitment);
  });

  it('binds the rest after an erasure, and no longer gives the erased secret', () => {
    const pointers = ['/assetCustodian/contactPoint/telephone', '/title'];
    const opening = erasedOpening(asset(), whole, pointers) as Extract<Opening, { erased: object }>;
    const { title: _, ...left } = asset();
    const erased = { ...left, assetCustodian: { contactPoint: {}, name: 'Фонд' } };
    expect(isBound(erased, opening, commitment)).toBe(true);
    expect(isBound({ ...erased, title: 'Земельна ділянка' }, opening, commitment)).toBe(false);
    expect(isBound({ ...erased, status: 'active' }, opening, commitment)).toBe(false);
    expect(Object.keys(opening.erased)).toEqual(pointers);
    expect(JSON.stringify(opening)).not.toContain(SECRET.toString('base64'));
  });

  it.each(['/titel', '/value/title', '/title/', '/items/0', 'title'])(
    'binds the name of an erased field: its digest does not fit %s',
    (other) => {
      const { secrets, erased } = erasedOpening(asset(), whole, ['/title']) as Extract<Opening, { erased: object }>;
      const { title: _, ...left } = asset();
      const digest = erased['/title'] as string;
      expect(isBound(left, { secrets, erased }, commitment)).toBe(true);
      expect(isBound(left, { secrets, erased: { [other]: digest } }, commitment)).toBe(false);
      expect(isBound(left, { secrets, erased: { ...erased, [other]: digest } }, commitment)).toBe(false);
    },
  );

  it.each([0, 31])('rejects a secret of %d bytes', (length) =>
    expect(() => commitmentOf(asset(), SECRET.subarray(0, length))).toThrow(`${length} bytes instead of 32`),
  );

  it('still binds the remaining members after further erasures, and their parts', () => {
    const first = erasedOpening(asset(), whole, ['/title']);
    const { title: _, ...left } = asset();
    const second = erasedOpening(left, first, ['/items/0/address', '/value/amount']);
    const items = [{ 'a/b~c': null }, { ok: true }];
    const third = erasedOpening({ ...left, items, value: { currency: 'UAH' } }, second, ['/value']);
    const { value: __, ...rest } = left;
    expect(isBound({ ...left, items, value: { currency: 'UAH' } }, second, commitment)).toBe(true);
    expect(isBound({ ...rest, items }, third, commitment)).toBe(true);
    expect(Object.keys((third as { erased: object }).erased)).toEqual(['/items/0/address', '/title', '/value']);
  });

  it('is opened by a few secrets where one of ten thousand members is erased, or one object of as many', () => {
    const items = Array.from({ length: 1_000 }, (_, i) => ({ ...asset(), i }));
    const many = { items, ['m'.repeat(9)]: Object.fromEntries(items.map((_, i) => [`n${i}`, i])) };
    for (const pointers of [
      ['/items/500/i'],
      ['/items/7/value/amount'],
      ['/mmmmmmmmm'],
      ['/mmmmmmmmm/n3', '/items/9/i'],
    ])
      expect(JSON.stringify(erasedOpening(many, whole, pointers)).length).toBeLessThan(2_000);
  });
});
