import type { Field } from '../../asset-types/fields.js';
import { printDecimal, printNumber } from '../../asset-types/fields-json.js';
import type { Labels } from '../../asset-types/labels.js';
import type { RegistryTime } from '../../platform/time/registry-time.js';
import { joinValues } from '../csv/columns.js';

/** Excel's maximum length of a cell, in UTF-16 units. */
const MAX_CHARACTERS = 32_767;
/** Excel's precision of numbers, in significant digits. */
const MAX_DIGITS = 15;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** Serial number of 1 January 1970. */
const EPOCH_DAY = 25_569;
/** Excel's calendar has a 29 February 1900: days before it would be wrong by one. */
const FIRST_SERIAL = 61;

/** Formats of cells: indexes in `cellXfs` of the workbook's styles. */
export const STYLES = { general: 0, text: 1, heading: 2, day: 3, instant: 4, decimal: 5 } as const;

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
/** Markup, and characters that XML 1.0 cannot contain or would change. */
const ESCAPED = /[&<>]|[^\t\n\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
/** Text that a reader would interpret as an escaped character. */
const LIKE_ESCAPED = /_(?=x[0-9A-Fa-f]{4}_)/g;

const YES_NO: Readonly<Record<string, Labels>> = {
  true: { uk: 'так', en: 'yes' },
  false: { uk: 'ні', en: 'no' },
};

/** The properties of a field that determine its cells. */
export type CellField = Pick<Field, 'schema' | 'decimal' | 'choices'>;

export interface CellContext {
  language: keyof Labels;
  time: RegistryTime;
  /** The asset's page, for texts that do not fit into a cell. */
  link: string;
}

/** Escapes text for XML. Characters that XML cannot contain become `_x0001_`, which spreadsheets decode. */
export function escapeXml(text: string): string {
  return text.replaceAll(LIKE_ESCAPED, '_x005F_').replaceAll(ESCAPED, (one) => ENTITIES[one] ?? `_x${hexOf(one)}_`);
}

function hexOf(character: string): string {
  return character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
}

/** A text cell, which spreadsheets do not interpret as a number or a formula. @param at reference such as `B2` */
export function textCell(at: string, text: string, link: string, style: number = STYLES.text): string {
  const fitting = text.length > MAX_CHARACTERS ? shorten(text, ` … ${link}`) : text;
  return `<c r="${at}" s="${style}" t="inlineStr"><is><t xml:space="preserve">${escapeXml(fitting)}</t></is></c>`;
}

function shorten(text: string, ending: string): string {
  // Don't split a surrogate pair.
  return text.slice(0, MAX_CHARACTERS - ending.length).replace(/[\ud800-\udbff]$/, '') + ending;
}

/** The cell of a field: typed for one value, text for several, and empty without a value. */
export function cellOf(at: string, values: readonly unknown[], field: CellField, context: CellContext): string {
  const [value, ...more] = values;
  if (value === undefined) return '';
  if (more.length === 0 && typeof value === 'number') return numberCell(at, value, field, context);
  const serial = more.length > 0 || typeof value !== 'string' ? undefined : serialOf(value, field, context.time);
  if (serial === undefined) return textCell(at, joinValues(wordsOf(values, field, context), field), context.link);
  return `<c r="${at}" s="${isInstant(field) ? STYLES.instant : STYLES.day}"><v>${serial}</v></c>`;
}

/** Replaces booleans and values of a closed list by their labels. */
function wordsOf(values: readonly unknown[], { choices }: CellField, { language }: CellContext): unknown[] {
  const words = choices ?? YES_NO;
  const isWorded = (value: unknown): boolean => choices !== undefined || typeof value === 'boolean';
  return values.map((value) => (isWorded(value) && words[String(value)]?.[language]) || value);
}

/** A number with more digits than Excel's precision becomes text. */
function numberCell(at: string, value: number, field: CellField, { link }: CellContext): string {
  const digits = printDecimal(value)
    .replace('.', '')
    .replaceAll(/^0+|0+$/g, '');
  if (digits.length > MAX_DIGITS) return textCell(at, printNumber(field, value), link);
  const style = field.decimal ? STYLES.decimal : STYLES.general;
  return `<c r="${at}" s="${style}"><v>${value}</v></c>`;
}

export function isInstant({ schema }: Pick<Field, 'schema'>): boolean {
  return schema['format'] === 'date-time';
}

/** The serial number, in days, of a local date or time; undefined if spreadsheets have none for it. */
function serialOf(text: string, field: CellField, time: RegistryTime): number | undefined {
  if (!isInstant(field) && field.schema['format'] !== 'date') return undefined;
  const ms = Date.parse(text);
  const localMs = isInstant(field) ? ms + time.offsetMinutes(ms * 1000) * MINUTE_MS : ms;
  const serial = localMs / DAY_MS + EPOCH_DAY;
  return serial >= FIRST_SERIAL ? serial : undefined;
}
