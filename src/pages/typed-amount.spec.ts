import { describe, expect, it } from '@jest/globals';
import { readAmount } from './typed-amount.js';

describe('an amount as people write it', () => {
  it.each([
    ['500000', '500000'],
    ['12 500,50 грн', '12500.50'],
    ['1,250,000.50', '1250000.50'],
    ['1 млн', '1000000'],
    ['1,5 млн грн', '1500000'],
    ['0,25 млн. грн.', '250000'],
    ['50 тис', '50000'],
    ['50 тис. гривень', '50000'],
    ['2 тисячі', '2000'],
    ['50к', '50000'],
    ['₴500000', '500000'],
    ['₴ 1,5 млн', '1500000'],
    ['500000 ₴', '500000'],
    ['UAH 500', '500'],
    ['500 UAH', '500'],
    ['1 million', '1000000'],
    ['2 mln', '2000000'],
    ['2 Millions', '2000000'],
    ['50 thousand', '50000'],
    ['50k', '50000'],
    ['1.2345 тис', '1234.5'],
    ['1.125 million', '1125000'],
    ['0.125', '0.125'],
    ['1,250,000 тис', '1250000000'],
    ['1 млрд', '1000000000'],
    ['3 мільйони', '3000000'],
    ['5 мільйонів грн', '5000000'],
  ])('%s is %s', (written, decimal) => {
    expect(readAmount(written)).toMatchObject({ decimal, isAmbiguous: false });
  });

  it.each(['1 млн', '₴5', '5 грн', '5 UAH', '1,5 млн гривень', '2 mln UAH'])(
    '%s is in hryvnias if it says so',
    (written) => {
      expect(readAmount(written).isInHryvnias).toBe(/₴|грн|UAH|грив/.test(written));
    },
  );

  it.each(['1,250', '1,250 млн', '₴1,250', '500.000', '500.000 грн'])('%s may mean two amounts', (written) => {
    expect(readAmount(written).isAmbiguous).toBe(true);
  });

  it.each(['млн', 'багато', '1 млн 5', '1.2.3 тис', '5 м', '₴'])(
    '%s is not an amount, and stays unchanged',
    (written) => {
      expect(readAmount(written).decimal).not.toMatch(/^\d+(?:\.\d+)?$/);
    },
  );
});
