/*
 * Exact decimal amounts, with at most nine digits after the decimal point.
 */

const DIGITS = 9;
const NANOS = 10n ** BigInt(DIGITS);
const MILLION = 1_000_000;

/** A sum. Units are split in two parts, because their sum may exceed SQLite's integers and the exact range of a double. */
export interface SumParts {
  millions: number | string;
  units: number | string;
  nanos: number | string;
}

/** Adds amounts exactly. */
export class ExactSum {
  count = 0;
  private readonly parts = { millions: 0, units: 0, nanos: 0 };

  /** @param whole units @param nano billionths of a unit, in addition */
  add(whole: number, nano: number): void {
    const { parts } = this;
    this.count++;
    parts.millions += Math.floor(whole / MILLION);
    parts.units += whole % MILLION;
    parts.nanos += nano;
  }

  /** A plain decimal, `1234.5`. */
  get sum(): string {
    return printSum(this.parts);
  }
}

/** A sum as a plain decimal, `1234.5`. */
export function printSum({ millions, units, nanos }: SumParts): string {
  return printDecimal((BigInt(millions) * BigInt(MILLION) + BigInt(units)) * NANOS + BigInt(nanos), DIGITS);
}

/** Splits an amount into units and billionths by its decimal digits, because a double is not exact. Contract section 1 allows nine digits. */
export function exactParts(amount: number): [whole: bigint, nano: bigint] {
  const decimal = amount < 1e-6 ? amount.toFixed(DIGITS) : String(amount);
  const [whole = '', parts = ''] = decimal.split('.');
  return [BigInt(whole), BigInt(parts.padEnd(DIGITS, '0'))];
}

/** The mean of the two middle amounts, as a plain decimal. @param upper same as `lower` for an odd number of amounts */
export function printMedian(lower: number, upper: number): string {
  const [a, b] = [lower, upper].map((amount) => {
    const [whole, nano] = exactParts(amount);
    return whole * NANOS + nano;
  }) as [bigint, bigint];
  return printDecimal((a + b) * 5n, DIGITS + 1);
}

/** @param digits of `value` that are after the decimal point */
function printDecimal(value: bigint, digits: number): string {
  const text = String(value).padStart(digits + 1, '0');
  const parts = text.slice(-digits).replace(/0+$/, '');
  return `${text.slice(0, -digits)}.${parts || '0'}`;
}
