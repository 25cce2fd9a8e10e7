/*
 * Exact decimals of amounts. An amount has at most nine digits behind the point.
 */

const DIGITS = 9;
const NANOS = 10n ** BigInt(DIGITS);
const MILLION = 1_000_000;

/** The parts of a sum. Units are summed in two parts, because all together may be more than an integer of SQLite or of a double keeps. */
export interface SumParts {
  millions: number | string;
  units: number | string;
  nanos: number | string;
}

/** Adds amounts exactly. */
export class ExactSum {
  count = 0;
  private readonly parts = { millions: 0, units: 0, nanos: 0 };

  /** @param whole units of the amount @param nano its thousand millionths beside these */
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

/** An amount in units and thousand millionths, of its decimal digits: the double itself lies beside them. Contract section 1 allows as many. */
export function exactly(amount: number): [whole: bigint, nano: bigint] {
  const decimal = amount < 1e-6 ? amount.toFixed(DIGITS) : String(amount);
  const [whole = '', parts = ''] = decimal.split('.');
  return [BigInt(whole), BigInt(parts.padEnd(DIGITS, '0'))];
}

/** The mean of the two amounts in the middle, as a plain decimal. @param upper the same as `lower` where one amount is in the middle */
export function printMedian(lower: number, upper: number): string {
  const [a, b] = [lower, upper].map((amount) => {
    const [whole, nano] = exactly(amount);
    return whole * NANOS + nano;
  }) as [bigint, bigint];
  return printDecimal((a + b) * 5n, DIGITS + 1);
}

/** @param digits how many of the digits of `value` stand behind the point */
function printDecimal(value: bigint, digits: number): string {
  const text = String(value).padStart(digits + 1, '0');
  const parts = text.slice(-digits).replace(/0+$/, '');
  return `${text.slice(0, -digits)}.${parts || '0'}`;
}
