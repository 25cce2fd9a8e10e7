import { describe, expect, it } from '@jest/globals';
import { isBound } from '../../clients/typescript/src/log/commitment.js';
import { SERVICE_FIELDS } from '../asset-types/service-fields.js';
import { commitmentOf, erasedOpening, type Opening } from './commitment.js';
import { committedLeaves } from './leaves.js';

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

describe('the leaves of an asset', () => {
  it('are what may be erased, in the order of their pointers, with canonical JSON', () => {
    expect(committedLeaves({ ...asset(), redacted: [{ pointer: '/x' }] })).toEqual(
      [
        ['/assetCustodian/contactPoint/telephone', '"+380441234567"'],
        ['/assetCustodian/name', '"Фонд"'],
        ['/documents', '[]'],
        ['/items/0/address', '{}'],
        ['/items/0/a~1b~0c', 'null'],
        ['/items/1/ok', 'true'],
        ['/title', '"Земельна ділянка"'],
        ['/value/amount', '1.5'],
        ['/value/currency', '"UAH"'],
      ].map(([pointer, json]) => ({ pointer, text: `"${pointer}"${json}` })),
    );
  });
});

describe('a commitment', () => {
  const commitment = commitmentOf(asset(), SECRET);

  it('is the one of the decision', () => {
    // Computed by another program, in Python, from the text of decision 61.
    const one = { id: 'i', status: 'pending', title: 'a', n: 1 };
    expect(commitmentOf(one, SECRET)).toBe('YknyNESR/mtsYLSDYCxsZGxamKHu7RvZzg4OQRBHhZ8=');
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

  it('binds lists of any length, states of any depth, and names that objects have anyway', () => {
    const items = Array.from({ length: 9_000 }, (_, i) => i);
    const strange = JSON.parse('{"__proto__":{"constructor":1},"":{"":"a"}}') as Record<string, unknown>;
    const deep = JSON.parse(`{"deep":${'[{"a":'.repeat(10_000)}[]${'}]'.repeat(10_000)}}`) as Record<string, unknown>;
    for (const long of [{ items }, { ...asset(), others: items.slice(0, 9) }, strange, deep])
      expect(isBound(long, whole, commitmentOf(long, SECRET))).toBe(true);
    expect(committedLeaves(strange).map(({ pointer }) => pointer)).toEqual(['//', '/__proto__/constructor']);
  });

  it('binds no state that is deep and wide, whose pointers would fill the memory', () => {
    const comb = JSON.parse(`{"comb":${'[0,'.repeat(20_000)}0${']'.repeat(20_000)}}`) as Record<string, unknown>;
    expect(() => commitmentOf(comb, SECRET)).toThrow(RangeError);
    expect(isBound(comb, whole, commitment)).toBe(false);
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
    // The entry says the dates itself, and nothing binds what tells of erasures.
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

  it('binds what is left when something is erased, and no longer gives its salt', () => {
    const pointers = ['/assetCustodian/contactPoint/telephone', '/title'];
    const opening = erasedOpening(asset(), whole, pointers);
    const { title: _, ...left } = asset();
    const erased = {
      ...left,
      assetCustodian: { contactPoint: {}, name: 'Фонд' },
      redacted: pointers.map((pointer) => ({ pointer, reason: 'r', at: 'a' })),
    };
    expect(isBound(erased, opening, commitment)).toBe(true);
    expect(isBound({ ...erased, title: 'Земельна ділянка' }, opening, commitment)).toBe(false);
    expect(isBound({ ...erased, status: 'active' }, opening, commitment)).toBe(false);
    expect(opening).toEqual({
      salts: expect.not.objectContaining({ '/title': expect.anything() }),
      erased: { '/title': expect.any(String), '/assetCustodian/contactPoint/telephone': expect.any(String) },
    });
    expect(JSON.stringify(opening)).not.toContain(SECRET.toString('base64'));
  });

  it.each([0, 31])('takes no secret of %d bytes', (length) =>
    expect(() => commitmentOf(asset(), SECRET.subarray(0, length))).toThrow(`${length} bytes in the place of 32`),
  );

  it('goes on to bind what is left when more is erased, with all that is below', () => {
    const first = erasedOpening(asset(), whole, ['/title']);
    const { title: _, ...left } = asset();
    const second = erasedOpening(left, first, ['/items/0', '/value']);
    const { value: __, ...rest } = left;
    const erased = { ...rest, items: [{}, { ok: true }], redacted: [{ pointer: '/items/0/address' }] };
    expect(isBound(erased, second, commitment)).toBe(true);
    expect(Object.keys((second as { erased: object }).erased)).toHaveLength(5);
  });
});
