import { inflateRawSync } from 'node:zlib';

/*
 * Reads .xlsx files. Written from the specifications, independently of the service's own writer.
 */

/** A cell: a string if it is a text cell, else a number; `format` distinguishes dates from numbers. */
export interface SheetCell {
  value: string | number;
  format: string;
}

/** A row's non-empty cells by heading. */
export type SheetRow = Readonly<Record<string, SheetCell>>;

const CENTRAL = 0x02014b50;
const END = Buffer.from('PK\u0005\u0006');
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
/** Formats that need no description, by number in ECMA-376. */
const BUILT_IN: Readonly<Record<string, string>> = { 0: 'General', 14: 'date', 22: 'date and time', 49: '@' };

/** @returns the rows of each sheet, by name @throws Error unless it is such a file */
export function readSpreadsheet(file: Buffer): ReadonlyMap<string, SheetRow[]> {
  const files = unzip(file);
  const part = (name: string): string => files.get(name) ?? missing(name);
  const formats = formatsOf(part('xl/styles.xml'));
  const targets = new Map(
    tags(part('xl/_rels/workbook.xml.rels'), 'Relationship').map(({ attributes: { Id, Target } }) => [Id, Target]),
  );
  return new Map(
    tags(part('xl/workbook.xml'), 'sheet').map(({ attributes }) => {
      const target = targets.get(attributes['r:id']) ?? missing('sheet');
      return [unescape(attributes['name'] ?? ''), rowsOf(part(`xl/${target}`), formats)];
    }),
  );
}

function missing(name: string): never {
  throw new Error(`There is no ${name}`);
}

/** Unzips an archive by its central directory, as spreadsheet programs do. */
function unzip(archive: Buffer): Map<string, string> {
  const end = archive.lastIndexOf(END);
  const files = new Map<string, string>();
  let at = archive.readUInt32LE(end + 16);
  while (at < end && archive.readUInt32LE(at) === CENTRAL) {
    const [size, name, extra, comment] = [
      archive.readUInt32LE(at + 20),
      ...[28, 30, 32].map((field) => archive.readUInt16LE(at + field)),
    ] as [number, number, number, number];
    const local = archive.readUInt32LE(at + 42);
    const begin = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    const bytes = inflateRawSync(archive.subarray(begin, begin + size));
    files.set(archive.toString('utf8', at + 46, at + 46 + name), bytes.toString());
    at += 46 + name + extra + comment;
  }
  return files;
}

function formatsOf(styles: string): string[] {
  const own = tags(styles, 'numFmt').map(({ attributes: { numFmtId = '', formatCode = '' } }) => [
    numFmtId,
    formatCode,
  ]);
  const byId = { ...BUILT_IN, ...(Object.fromEntries(own) as Record<string, string>) };
  const [, cells = ''] = /<cellXfs[^>]*>(.*)<\/cellXfs>/s.exec(styles) ?? [];
  return tags(cells, 'xf').map(({ attributes: { numFmtId = '0' } }) => byId[numFmtId] ?? missing(numFmtId));
}

function rowsOf(sheet: string, formats: readonly string[]): SheetRow[] {
  const rows = tags(sheet, 'row').map(({ content }) =>
    tags(content, 'c').map(
      (cell) => [(cell.attributes['r'] ?? '').replace(/\d+$/, ''), cellOf(cell, formats)] as const,
    ),
  );
  const [headings = [], ...others] = rows;
  const names = new Map(headings.map(([letters, { value }]) => [letters, String(value)]));
  return others.map((cells) => Object.fromEntries(cells.map(([letters, cell]) => [names.get(letters), cell])));
}

function cellOf({ attributes, content }: Tag, formats: readonly string[]): SheetCell {
  const format = formats[Number(attributes['s'] ?? 0)] ?? missing('style');
  if (attributes['t'] !== 'inlineStr') return { value: Number(tags(content, 'v')[0]?.content), format };
  return { value: unescape(tags(content, 't')[0]?.content ?? ''), format };
}

interface Tag {
  attributes: Readonly<Record<string, string>>;
  content: string;
}

/** Elements with this name that contain none of the same name. */
function tags(xml: string, name: string): Tag[] {
  const found = xml.matchAll(new RegExp(`<${name}(?=[\\s/>])([^>]*?)(?:/>|>(.*?)</${name}>)`, 'gs'));
  return [...found].map(([, attributes = '', content = '']) => ({
    attributes: Object.fromEntries(
      [...attributes.matchAll(/([\w:]+)="([^"]*)"/g)].map(([, key, value]) => [key, value]),
    ),
    content,
  }));
}

/** Unescapes XML, then the spreadsheet's escapes for characters that XML does not allow. */
function unescape(text: string): string {
  return text
    .replaceAll(/&(\w+);/g, (_, name: string) => ENTITIES[name] ?? missing(name))
    .replaceAll(/_x([0-9A-F]{4})_/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** The local date and time of a date cell, `2026-11-21T06:28:21`. */
export function dateOf({ value }: SheetCell): string {
  return new Date(Math.round((Number(value) - 25_569) * 86_400_000)).toISOString().slice(0, 19);
}
