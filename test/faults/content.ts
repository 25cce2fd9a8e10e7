import { createHash } from 'node:crypto';

/** The fields that writers change, each patch a subset: two writers of different fields must not undo each other's changes. */
export const FIELDS = ['title', 'description', 'unit'] as const;
export const ALL_FIELDS = 0b111;
export const TITLE = 0b001;

/** The compared parts of an asset in an answer. */
export interface Content {
  status: string;
  /** By FIELDS: the number of the write whose text the field contains; -1 if no writer wrote that text, or it is truncated. */
  ops: readonly number[];
  /** Digest of the whole asset; never 0. */
  digest: number;
}

/** The members of an answered asset that are read here. */
export interface ShownAsset {
  id: string;
  assetID: string;
  status: string;
  date: string;
  dateModified: string;
  title: string;
  description?: string;
  unit?: { code: string; name: string };
}

const OPS_PER_WRITER = 10_000_000;
/** Characters of two and of four bytes, so that a cut or wrongly decoded text is detected. */
const FILLING = 'їжачок 🦔 ';

/** The number of a writer's change, unique in a run. */
export function opOf(writer: number, counter: number): number {
  return writer * OPS_PER_WRITER + counter;
}

/** The text that a change writes into a field: it contains the change's number and its own length. */
export function textOf(op: number, length = 0): string {
  const head = `w${Math.floor(op / OPS_PER_WRITER)}.${op % OPS_PER_WRITER}.${length}`;
  if (length === 0) return head;
  return `${head} ${FILLING.repeat(Math.ceil(length / FILLING.length))}`;
}

/** The number of the change that wrote a text; -1 unless the text is exactly what a change writes. */
function opIn(text: string | undefined): number {
  const [, writer, counter, length] = /^w(\d+)\.(\d+)\.(\d+)(?: |$)/.exec(text ?? '') ?? [];
  if (length === undefined) return -1;
  const op = opOf(Number(writer), Number(counter));
  return textOf(op, Number(length)) === text ? op : -1;
}

/** The fields of a body that a change with these bits sends. */
export function fieldsOf(op: number, bits: number, length: number): Record<string, unknown> {
  return {
    ...((bits & 0b001) !== 0 && { title: textOf(op) }),
    ...((bits & 0b010) !== 0 && { description: textOf(op, length) }),
    ...((bits & 0b100) !== 0 && { unit: { name: textOf(op) } }),
  };
}

export function contentOf(asset: ShownAsset): Content {
  return {
    status: asset.status,
    ops: [opIn(asset.title), opIn(asset.description), opIn(asset.unit?.name)],
    digest: digestOf(asset),
  };
}

/** A 32-bit digest of the JSON; never 0. */
export function digestOf(asset: unknown): number {
  return createHash('md5').update(JSON.stringify(asset)).digest().readInt32LE() || 1;
}

const INSTANT = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.(\d{6})([+-]\d\d:\d\d)$/;
let lastSecond = { text: '', ms: 0 };

/** Parses a time as the registry prints it to microseconds since 1970; NaN for any other format. */
export function instantUs(text: string): number {
  const [, second, fraction, zone] = INSTANT.exec(text) ?? [];
  if (second === undefined) return NaN;
  const key = `${second}${zone}`;
  // Cached, because most times of a page are in the same second.
  if (lastSecond.text !== key) lastSecond = { text: key, ms: Date.parse(key) };
  return lastSecond.ms * 1_000 + Number(fraction);
}

/** Converts a `performance.now()` to an instant, in microseconds. */
export function instantAt(performanceMs: number): number {
  return (performance.timeOrigin + performanceMs) * 1_000;
}
