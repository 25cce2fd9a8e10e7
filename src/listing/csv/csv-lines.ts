import { stringify } from 'csv-stringify/sync';

/** What a program that separates cells by `;`, or does not understand quotes, reads as one cell. */
const POSSIBLE_CELL = /[^;\r\n]+/g;
/** With this a program reads a cell as a formula, and runs it; in full width too. Some programs drop quotes and spaces before it. */
const BEGINS_FORMULA = /^(?:["\s]*[=+\-@＝＋－＠]|\t)/;
/** Whether any of the possible cells begins so: most have none, and are not looked at one by one. */
const MAY_HOLD_FORMULA = /(?:^|[;\r\n])(?:"|[^\S\r\n])*[=+\-@＝＋－＠]|^[\t\r]|[;\r\n]\t/;
/** A number as JSON writes it: `-12.5`, and neither `+3` nor a telephone number. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Marks a file as UTF-8 for programs that take it for something else. */
export const BYTE_ORDER_MARK = '\ufeff';

/** Lines as RFC 4180 has them, in which no spreadsheet finds a formula. Source: contract section 11. */
export function printLines(rows: readonly (readonly string[])[]): string {
  return stringify(
    rows.map((cells) => cells.map(withoutFormula)),
    // Beyond what RFC 4180 wants, everything that another program may take for the end of a cell.
    { record_delimiter: '\r\n', quoted_match: /[;\r\n]|^'/ },
  );
}

function withoutFormula(cell: string): string {
  if (!MAY_HOLD_FORMULA.test(cell)) return cell;
  const safe = cell.replaceAll(POSSIBLE_CELL, (part) =>
    BEGINS_FORMULA.test(part) && !NUMBER.test(part) ? `'${part}` : part,
  );
  return safe.startsWith('\r') ? `'${safe}` : safe;
}
