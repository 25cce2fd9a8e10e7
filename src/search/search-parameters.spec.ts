import { describe, expect, it } from '@jest/globals';
import { readBound } from './search-parameters.js';

describe('a bound of amounts', () => {
  it.each(['0.1', '123456789012.345', '99999999.9999999', '0.000000001', '1000000000000000', '1250.50'])(
    'has the amount itself inside: %s',
    (text) => {
      for (const name of ['valueFrom', 'valueTo'] as const)
        expect(readBound(name, text)).toEqual({ amount: Number(text), isInside: true });
    },
  );

  it.each(['9223372036854775807', '18446744073709551615', '99999999999999999999'])(
    'may be beyond all amounts: %s',
    (text) => {
      expect(readBound('valueTo', text).amount).toBeGreaterThan(1e15);
      expect(readBound('valueFrom', text).amount).toBeGreaterThan(1e15);
    },
  );

  it.each(['1e3', '-1', '+1', '1.', '.5', '1'.repeat(21), `0.${'1'.repeat(31)}`])('is none: %s', (text) => {
    expect(() => readBound('valueTo', text)).toThrow('A plain decimal number from 0 is required');
  });

  it('between two amounts has the nearest on its own side', () => {
    expect(readBound('valueFrom', '123456789012.3450000001').isInside).toBe(false);
    expect(readBound('valueTo', '123456789012.3450000001').isInside).toBe(true);
    expect(readBound('valueFrom', '123456789012.3449999999').isInside).toBe(true);
    expect(readBound('valueTo', '123456789012.3449999999').isInside).toBe(false);
  });
});
