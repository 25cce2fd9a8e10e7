/*
 * Amounts of money as people write them: `12 500,50 грн`, `1,250,000.50`, `₴500000`, `1,5 млн`, `50k`.
 */

/** Ukrainian currency before or after the number. */
const HRYVNIAS = /^(?:₴|UAH|грн\.?)(?=\d)|(?<=[\d\p{L}.])(?:грн\.?|гривень|гривн[яі]|₴|UAH)$/iu;
/** Words for powers of ten, with the number of digits that each adds. */
const MULTIPLES: readonly [digits: number, word: RegExp][] = [
  [3, /(?<=\d)(?:тис\.?|тисяч[аіу]?|thousand|[kк])$/iu],
  [6, /(?<=\d)(?:млн\.?|мільйон(?:и|ів|а|у)?|millions?|mln|m)$/iu],
  [9, /(?<=\d)(?:млрд\.?|мільярд(?:и|ів|а|у)?|billions?|bn)$/iu],
];
const THOUSANDS = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;
const THOUSANDS_OR_FRACTION = /^\d{1,3},\d{3}$/;
/** Ambiguous only without a word behind it: `1.125 million` is a fraction. */
const POINT_BEFORE_THREE_DIGITS = /^[1-9]\d{0,2}\.\d{3}$/;

export interface TypedAmount {
  /** For the search; a text that is not an amount is unchanged except for spaces. */
  decimal: string;
  isInHryvnias: boolean;
  /** A comma or a point before three digits may mean thousands or a fraction. */
  isAmbiguous: boolean;
}

export function readAmount(written: string): TypedAmount {
  const dense = written.replaceAll(/\s/gu, '');
  const amount = dense.replace(HRYVNIAS, '');
  const [digits, word] = MULTIPLES.find(([, one]) => one.test(amount)) ?? [0, undefined];
  const number = word === undefined ? amount : amount.replace(word, '');
  const plain = THOUSANDS.test(number) ? number.replaceAll(',', '') : number.replace(/^(\d+),(\d{1,2})$/, '$1.$2');
  return {
    decimal: digits === 0 ? plain : shiftPoint(plain, digits),
    isInHryvnias: amount !== dense,
    isAmbiguous: THOUSANDS_OR_FRACTION.test(number) || (digits === 0 && POINT_BEFORE_THREE_DIGITS.test(number)),
  };
}

/** Multiplies a decimal by a power of ten, exactly. */
function shiftPoint(decimal: string, digits: number): string {
  const [, whole, fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(decimal) ?? [];
  if (whole === undefined) return decimal;
  const moved = fraction.padEnd(digits, '0');
  const rest = moved.slice(digits);
  return (whole + moved.slice(0, digits)).replace(/^0+(?=\d)/, '') + (rest === '' ? '' : `.${rest}`);
}
