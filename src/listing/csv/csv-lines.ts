import { stringify } from 'csv-stringify/sync';

/** A cell for programs that separate cells by `;` or do not support quotes. */
const POSSIBLE_CELL = /[^;\r\n]+/g;
/** The begin of a formula, also in full width. Some programs drop quotes and spaces before it. */
const BEGINS_FORMULA = /^(?:["\s]*[=+\-@＝＋－＠]|\t)/;
/** Quick check whether any possible cell may begin a formula. */
const MAY_CONTAIN_FORMULA = /(?:^|[;\r\n])(?:"|[^\S\r\n])*[=+\-@＝＋－＠]|^[\t\r]|[;\r\n]\t/;
/** A number of JSON: `-12.5`, but neither `+3` nor a telephone number. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Marks a file as UTF-8 for programs that would assume another encoding. */
export const BYTE_ORDER_MARK = '\ufeff';

/** Prints lines of RFC 4180, with formulas escaped. Source: contract section 11. */
export function printLines(rows: readonly (readonly string[])[]): string {
  return stringify(
    rows.map((cells) => cells.map(withoutFormula)),
    // In addition to RFC 4180, quote everything that another program may consider the end of a cell.
    { record_delimiter: '\r\n', quoted_match: /[;\r\n]|^'/ },
  );
}

function withoutFormula(cell: string): string {
  if (!MAY_CONTAIN_FORMULA.test(cell)) return cell;
  const safe = cell.replaceAll(POSSIBLE_CELL, (part) =>
    BEGINS_FORMULA.test(part) && !NUMBER.test(part) ? `'${part}` : part,
  );
  return safe.startsWith('\r') ? `'${safe}` : safe;
}
