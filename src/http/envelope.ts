import { bodyNotJson, dataMissing, tooManyValues } from '../platform/errors/errors.js';
import { findJsonFault } from './json-fault.js';
import { countJson, countMembers, type JsonCounts, parseMarkingInexact } from './json-text.js';

/** A write's body. `data` is the asset's part, or a list of several; `access` is whatever stood under that name, unchecked. */
export interface Envelope {
  data: Record<string, unknown> | unknown[];
  access: unknown;
  /** As they came; empty once nothing needs them: a write may wait for long, and they take as much memory as what was parsed. */
  bytes: Buffer;
  /** About how many bytes of memory it takes while it waits: a short value takes more than its text. */
  held: number;
}

/** What the body of a route is; without it: an object with one under `data`. */
export type BodyForm = 'list of data' | 'object without data' | 'object or nothing';

/** Bounds of a body. No valid asset comes near them. */
const MAX = { depth: 16, members: 10_000, values: 20_000 };
const BYTES_OF_A_VALUE = 64;
const NO_BYTES = Buffer.alloc(0);
const NO_ENVELOPE: Envelope = { data: {}, access: undefined, bytes: NO_BYTES, held: 0 };
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The envelope in `bytes`. Numbers that would not be kept exactly come out as NaN, which no field accepts.
 * @throws ApiError 422 `data`
 */
export function parseEnvelope(bytes: Buffer, form?: BodyForm): Envelope {
  if (bytes.length === 0 && form === 'object or nothing') return NO_ENVELOPE;
  const { body, values } = parseObject(decode(bytes));
  const sent: unknown = Object.hasOwn(body, 'data') ? body['data'] : undefined;
  const access = Object.hasOwn(body, 'access') ? body['access'] : undefined;
  return { data: dataOf(sent, form), access, bytes, held: Math.max(bytes.length, values * BYTES_OF_A_VALUE) };
}

/** Frees the bytes of an envelope whose values are still needed. */
export function withoutBytes(envelope: Envelope): Envelope {
  return { ...envelope, bytes: NO_BYTES };
}

/** @throws ApiError 422 `data` */
function dataOf(sent: unknown, form: BodyForm | undefined): Envelope['data'] {
  const isDue = form === undefined || form === 'list of data';
  if (form === 'list of data' ? Array.isArray(sent) : isObject(sent)) return sent as Envelope['data'];
  if (isDue) throw dataMissing(form && '{"data": [{...}]}');
  return {};
}

/**
 * Parses a body that is no envelope: an object or a list, within the same bounds. Numbers are what JSON.parse makes of them.
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
