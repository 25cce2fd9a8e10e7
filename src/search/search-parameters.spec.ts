import { describe, expect, it } from '@jest/globals';
import { readBound } from './search-parameters.js';

describe('a bound of amounts', () => {
  it.each(['+1', '1.', '.5', '1'.repeat(21), `0.${'1'.repeat(31)}`])('may not be %s', (text) => {
    expect(() => readBound('valueTo', text)).toThrow('A plain decimal number from 0 is required');
  });

  it('between two amounts excludes the nearest amount if that is beyond the bound', () => {
    expect(readBound('valueFrom', '123456789012.3450000001').isInside).toBe(false);
    expect(readBound('valueTo', '123456789012.3450000001').isInside).toBe(true);
    expect(readBound('valueFrom', '123456789012.3449999999').isInside).toBe(true);
    expect(readBound('valueTo', '123456789012.3449999999').isInside).toBe(false);
  });
});
