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

  it('between two amounts has the nearest on its own side', () => {
    expect(readBound('valueFrom', '123456789012.3450000001').isInside).toBe(false);
    expect(readBound('valueTo', '123456789012.3450000001').isInside).toBe(true);
    expect(readBound('valueFrom', '123456789012.3449999999').isInside).toBe(true);
    expect(readBound('valueTo', '123456789012.3449999999').isInside).toBe(false);
  });
});
