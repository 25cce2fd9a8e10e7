const WEIGHTS = [1, 2, 3, 4, 5, 6, 7];
const MODULUS = 11;
const DIGITS = 5;

/** A code of an organisation with its check digit. Real codes never begin with 99. @param number below 100,000 */
export function organisationCode(number: number): string {
  const digits = `99${String(number).padStart(DIGITS, '0')}`;
  const first = remainder(digits, 0);
  const check = first < 10 ? first : remainder(digits, 2) % 10;
  return `${digits}${check}`;
}

function remainder(digits: string, added: number): number {
  return WEIGHTS.reduce((sum, weight, i) => sum + (weight + added) * Number(digits[i]), 0) % MODULUS;
}
