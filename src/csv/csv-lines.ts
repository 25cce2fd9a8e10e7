import { stringify } from 'csv-stringify/sync';

/** With this a program reads a cell as a formula, and runs it. Source: contract section 11. */
const BEGINS_A_FORMULA = /^[=+\-@\t\r]/;
/** A number as JSON writes it: `-12.5`, and neither `+3` nor a telephone number. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Marks a file as UTF-8 for programs that take it for something else. */
export const BYTE_ORDER_MARK = '\ufeff';

/** Lines as RFC 4180 has them. No spreadsheet runs a cell of them. */
export function printLines(rows: readonly (readonly string[])[]): string {
  // The library itself quotes whole line ends only: one half of them may be in a cell too.
  return stringify(
    rows.map((cells) => cells.map(harmless)),
    { record_delimiter: '\r\n', quoted_match: /[\r\n]/ },
  );
}

function harmless(cell: string): string {
  return BEGINS_A_FORMULA.test(cell) && !NUMBER.test(cell) ? `'${cell}` : cell;
}
