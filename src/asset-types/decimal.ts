/** The shortest plain decimal of a number of at most 10^15 with up to 9 decimals: 5, 0.1, 0.0000001; never an exponent. */
export function printDecimal(value: number): string {
  if (value === 0) return '0';
  const text = String(value);
  return text.includes('e') ? value.toFixed(9).replace(/0+$/, '') : text;
}
