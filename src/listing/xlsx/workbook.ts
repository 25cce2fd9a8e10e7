import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { escapeXml, STYLES, textCell } from './cells.js';

/** Excel's maximum number of rows, including the headings. */
const MAX_ROWS = 1_048_576;
/** Constant modification time, so that the same data has the same bytes. */
const MTIME = new Date(2000, 0, 1);
const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const FORMATS = 'http://schemas.openxmlformats.org';
const MAIN = `${FORMATS}/spreadsheetml/2006/main`;
const RELATIONS = `${FORMATS}/officeDocument/2006/relationships`;
const PACKAGE = `${FORMATS}/package/2006`;
const SPREADSHEET = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const LETTERS = 26;

/** Formats in the order of STYLES: text (49), day (14) and instant (22) in the reader's locale, decimal. */
const STYLE_PARTS =
  `<numFmts count="1"><numFmt numFmtId="164" formatCode="#,##0.00#######"/></numFmts>` +
  `<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>` +
  `<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>` +
  `<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>` +
  `<cellXfs count="6"><xf/>${format(49)}<xf fontId="1" applyFont="1"/>${format(14)}${format(22)}${format(164)}</cellXfs>`;

export interface Sheet {
  name: string;
  headings: readonly string[];
  /** Called when the sheet is written. */
  rows: () => AsyncIterable<readonly Row[]>;
}

/** Prints the cells of a row. @param at returns the reference, such as `B2`, of a column counted from 0 */
export type Row = (at: (column: number) => string) => string;

/** Streams an .xlsx file (ECMA-376). @throws the errors of `rows` */
export async function* printWorkbook(sheets: readonly Sheet[]): AsyncGenerator<Buffer> {
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  const opened: Readable[] = [];
  for (const [name, text] of partsOf(sheets)) zip.addBuffer(Buffer.from(XML + text), name, { mtime: MTIME });
  for (const [i, sheet] of sheets.entries())
    zip.addReadStreamLazy(`xl/worksheets/sheet${i + 1}.xml`, { mtime: MTIME }, (take) => {
      // The reader has left before this sheet.
      if (output.destroyed) return;
      const stream = Readable.from(printSheet(sheet), { objectMode: false });
      opened.push(stream.once('error', (error) => output.destroy(error)));
      take(null, stream);
    });
  zip.end();
  try {
    for await (const chunk of output) yield chunk as Buffer;
  } finally {
    for (const stream of opened) stream.destroy();
  }
}

async function* printSheet({ headings, rows }: Sheet): AsyncGenerator<Buffer> {
  const letters = headings.map((_, i) => lettersOf(i));
  let count = 0;
  const printRow = (row: Row): string => {
    const number = ++count;
    return `<row r="${number}">${row((column) => `${letters[column]}${number}`)}</row>`;
  };
  const top = printRow((at) => headings.map((text, i) => textCell(at(i), text, '', STYLES.heading)).join(''));
  yield Buffer.from(
    `${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0">` +
      `<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>` +
      `<cols><col min="1" max="${headings.length}" width="22" customWidth="1"/></cols><sheetData>${top}`,
  );
  for await (const some of rows()) {
    const fitting = some.slice(0, MAX_ROWS - 1 - count);
    yield Buffer.from(fitting.map(printRow).join(''));
    if (fitting.length === some.length) continue;
    yield Buffer.from(printRow((at) => textCell(at(0), '…', '')));
    break;
  }
  yield Buffer.from('</sheetData></worksheet>');
}

/** `A` to `Z`, then `AA`. */
function lettersOf(column: number): string {
  const rest = Math.floor(column / LETTERS) - 1;
  return (rest < 0 ? '' : lettersOf(rest)) + String.fromCharCode('A'.charCodeAt(0) + (column % LETTERS));
}

function format(id: number): string {
  return `<xf numFmtId="${id}" applyNumberFormat="1"/>`;
}

/** The parts other than sheets: names and texts. */
function partsOf(sheets: readonly Sheet[]): [string, string][] {
  const typeOf = (name: string, type: string): string =>
    `<Override PartName="/xl/${name}.xml" ContentType="${SPREADSHEET}.${type}+xml"/>`;
  const relation = (i: number, type: string, target: string): string =>
    `<Relationship Id="r${i}" Type="${RELATIONS}/${type}" Target="${target}"/>`;
  const relations = (all: string): string => `<Relationships xmlns="${PACKAGE}/relationships">${all}</Relationships>`;
  const each = (print: (i: number, sheet: Sheet) => string): string =>
    sheets.map((sheet, i) => print(i + 1, sheet)).join('');
  const types = `${typeOf('workbook', 'sheet.main')}${typeOf('styles', 'styles')}${each((i) => typeOf(`worksheets/sheet${i}`, 'worksheet'))}`;
  const named = each((i, { name }) => `<sheet name="${escapeXml(name)}" sheetId="${i}" r:id="r${i}"/>`);
  const xml = '<Default Extension="xml" ContentType="application/xml"/>';
  const rels = `<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>`;
  return [
    ['[Content_Types].xml', `<Types xmlns="${PACKAGE}/content-types">${rels}${xml}${types}</Types>`],
    ['_rels/.rels', relations(relation(1, 'officeDocument', 'xl/workbook.xml'))],
    ['xl/workbook.xml', `<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets>${named}</sheets></workbook>`],
    [
      'xl/_rels/workbook.xml.rels',
      relations(
        each((i) => relation(i, 'worksheet', `worksheets/sheet${i}.xml`)) + relation(0, 'styles', 'styles.xml'),
      ),
    ],
    ['xl/styles.xml', `<styleSheet xmlns="${MAIN}">${STYLE_PARTS}</styleSheet>`],
  ];
}
