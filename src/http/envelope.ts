import { bodyNotJson, dataMissing, tooManyValues } from '../platform/errors/errors.js';
import { findJsonFault } from './json-fault.js';
import { countJson, countMembers, type JsonCounts, parseMarkingInexact } from './json-text.js';

/** A write's body. `data` is an asset's fields, or a list of several; `access` is the member of that name, unchecked. */
export interface Envelope {
  data: Record<string, unknown> | unknown[];
  access: unknown;
  /** The raw body; emptied as soon as possible, because a write may wait for long and it takes as much memory as the parsed values. */
  bytes: Buffer;
  /** Estimated memory that it occupies while it waits: a short value takes more than its text. */
  memoryBytes: number;
}

/** The form of a route's body; by default an object with an object under `data`. */
export type BodyForm = 'list of data' | 'object without data' | 'object or nothing';

/** Bounds of a body. No valid asset comes near them. */
const MAX = { depth: 16, members: 10_000, values: 20_000 };
const VALUE_BYTES = 64;
const NO_BYTES = Buffer.alloc(0);
const NO_ENVELOPE: Envelope = { data: {}, access: undefined, bytes: NO_BYTES, memoryBytes: 0 };
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Parses an envelope. Numbers that cannot be stored exactly become NaN, which no field accepts.
 * @throws ApiError 422 `data`
 */
export function parseEnvelope(bytes: Buffer, form?: BodyForm): Envelope {
  if (bytes.length === 0 && form === 'object or nothing') return NO_ENVELOPE;
  const { body, values } = parseObject(decode(bytes));
  const sent: unknown = Object.hasOwn(body, 'data') ? body['data'] : undefined;
  const access = Object.hasOwn(body, 'access') ? body['access'] : undefined;
  return { data: dataOf(sent, form), access, bytes, memoryBytes: Math.max(bytes.length, values * VALUE_BYTES) };
}

/** Drops the raw bytes of an envelope, to free memory. */
export function withoutBytes(envelope: Envelope): Envelope {
  return { ...envelope, bytes: NO_BYTES };
}

/** @throws ApiError 422 `data` */
function dataOf(sent: unknown, form: BodyForm | undefined): Envelope['data'] {
  const isRequired = form === undefined || form === 'list of data';
  if (form === 'list of data' ? Array.isArray(sent) : isObject(sent)) return sent as Envelope['data'];
  if (isRequired) throw dataMissing(form && '{"data": [{...}]}');
  return {};
}

/**
 * Parses a body without an envelope: an object or a list, within the same bounds. Numbers are parsed as by JSON.parse.
 * @throws ApiError 422 `data`
 */
export function parseBody(bytes: Buffer): object {
  const text = decode(bytes);
  const counts = countWithinBounds(text);
  const body = parse(text, { ...counts, hasInexactNumber: false });
  if (typeof body !== 'object' || body === null) throw bodyNotJson('it is JSON, but neither an object nor a list');
  if (countMembers(body) < counts.members) throw bodyNotJson(findJsonFault(text));
  return body;
}

/** @throws ApiError 422 `data` */
function countWithinBounds(text: string): JsonCounts {
  const counts = countJson(text);
  if (counts.depth > MAX.depth) throw bodyNotJson(`it is nested deeper than ${MAX.depth}`);
  if (counts.members > MAX.members || counts.values > MAX.values) throw tooManyValues();
  return counts;
}

function parseObject(text: string): { body: Record<string, unknown>; values: number } {
  const counts = countWithinBounds(text);
  const body = parse(text, counts);
  if (!isObject(body)) throw bodyNotJson('it is JSON, but no object');
  if (countMembers(body) < counts.members) throw bodyNotJson(findJsonFault(text));
  return { body, values: counts.values };
}

function parse(text: string, { hasInexactNumber }: JsonCounts): unknown {
  try {
    return hasInexactNumber ? parseMarkingInexact(text) : JSON.parse(text);
  } catch {
    throw bodyNotJson(findJsonFault(text));
  }
}

function decode(bytes: Buffer): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    throw bodyNotJson('it is not UTF-8');
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
