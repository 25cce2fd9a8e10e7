import { createHash } from 'node:crypto';

/** The fields that writers change, each patch some of them: two writers with different ones must not undo each other. */
export const FIELDS = ['title', 'description', 'unit'] as const;
export const ALL_FIELDS = 0b111;
export const TITLE = 0b001;

/** What matters of an asset that was answered. */
export interface Content {
  status: string;
  /** By FIELDS: the write whose text stands in the field; -1 where the text is no writer's, or not whole. */
  ops: readonly number[];
  /** Of the whole asset; never 0. */
  digest: number;
}

/** An asset in an answer, as far as it is looked at. */
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
/** Letters of two bytes and of four: what is cut or read in another encoding does not come back. */
const FILLING = 'їжачок 🦔 ';

/** The number of a writer's change, unique in a run. */
export function opOf(writer: number, counter: number): number {
  return writer * OPS_PER_WRITER + counter;
}

/** The text that a change writes into a field: it says whose it is and how long it must be. */
export function textOf(op: number, length = 0): string {
  const head = `w${Math.floor(op / OPS_PER_WRITER)}.${op % OPS_PER_WRITER}.${length}`;
  if (length === 0) return head;
  return `${head} ${FILLING.repeat(Math.ceil(length / FILLING.length))}`;
}

/** The change that wrote a text; -1 when it is not, letter for letter, what a change writes. */
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

/** 32 bits of a digest of the JSON; never 0. */
export function digestOf(asset: unknown): number {
  return createHash('md5').update(JSON.stringify(asset)).digest().readInt32LE() || 1;
}

const INSTANT = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.(\d{6})([+-]\d\d:\d\d)$/;
let lastSecond = { text: '', ms: 0 };

/** Microseconds since 1970 of a time as the registry prints it; NaN when it is printed in any other way. */
export function instantUs(text: string): number {
  const [, second, fraction, zone] = INSTANT.exec(text) ?? [];
  if (second === undefined) return NaN;
  const key = `${second}${zone}`;
  // Most times of a page fall into the same second.
  if (lastSecond.text !== key) lastSecond = { text: key, ms: Date.parse(key) };
  return lastSecond.ms * 1_000 + Number(fraction);
}

/** The present instant by this process's clock. */
export function instantAt(performanceMs: number): number {
  return (performance.timeOrigin + performanceMs) * 1_000;
}
