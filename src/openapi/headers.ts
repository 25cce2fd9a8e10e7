import type { HeaderObject, ReferenceObject } from 'openapi3-ts/oas31';
import { COMMON_HEADERS } from '../http/answer.js';
import { SOURCE } from './source.js';

/** Headers that are always sent with the same value. */
export function constantHeaders(sent: Readonly<Record<string, string>>): Record<string, HeaderObject> {
  return Object.fromEntries(
    Object.entries(sent).map(([name, value]) => [
      name,
      { description: 'Always the same', required: true, schema: { type: 'string', const: value } },
    ]),
  );
}

/** Headers of answers. `required`: every answer that lists the header has it. */
export const HEADERS: Readonly<Record<string, HeaderObject>> = {
  ...SOURCE.components.headers,
  ...constantHeaders(COMMON_HEADERS),
};

const ALWAYS = ['X-Request-ID', 'Cache-Control', 'Vary', 'Content-Encoding', ...Object.keys(COMMON_HEADERS)];

/** The sent name of headers that have several descriptions. */
const SENT_NAMES: Readonly<Record<string, string>> = {
  WeakETag: 'ETag',
  AnyETag: 'ETag',
  SpreadsheetDisposition: 'Content-Disposition',
};

/** References to the headers that every answer has, and to these. */
export function headersOf(names: readonly string[]): Record<string, ReferenceObject> {
  const all = [...ALWAYS, ...names];
  return Object.fromEntries(all.map((name) => [sentNameOf(name), { $ref: `#/components/headers/${name}` }]));
}

/** Headers that only some of the answers have. */
export function optional(names: readonly string[]): Record<string, HeaderObject> {
  return Object.fromEntries(names.map((name) => [sentNameOf(name), { ...HEADERS[name], required: false }]));
}

function sentNameOf(name: string): string {
  return SENT_NAMES[name] ?? name;
}
