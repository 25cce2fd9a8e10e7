import { STATUS_CODES } from 'node:http';
import type { ResponseObject, ResponsesObject, SchemaObject } from 'openapi3-ts/oas31';
import { ERROR_EXAMPLES, type ErrorName } from './error-examples.js';
import { headersOf } from './headers.js';
import { ref } from './schema-parts.js';

const ERROR = ref('Error');

/** Errors of node's parser, of the request head, and of what nobody foresaw: whatever was asked. */
const ANYWHERE: readonly ErrorName[] = [
  'malformedUrl',
  'malformedParameter',
  'repeatedParameter',
  'repeatedHeader',
  'malformedHost',
  'malformedRequest',
  'tooSlow',
  'bodyTooLarge',
  'expectationRefused',
  'headTooLarge',
  'serverDefect',
];

/** What an operation is subject to beside its own rules. */
interface Subject {
  /** Cluster mode and admission control: what is below the prefix of the API. */
  isOfApi: boolean;
  /** Rates may be limited. */
  isLimited: boolean;
  /** There are dry runs of it. */
  canBeTried?: boolean;
}

/** Every response of an operation by its status. @param errors those that are its own */
export function responsesOf(
  successes: Readonly<Record<string, ResponseObject>>,
  errors: readonly ErrorName[],
  { isOfApi, isLimited, canBeTried = false }: Subject,
): ResponsesObject {
  const ofApi: ErrorName[] = isOfApi ? ['anotherServer', 'unavailable'] : [];
  const limited: ErrorName[] = isLimited ? ['tooManyRequests'] : [];
  const mayHave = [
    ...(isOfApi ? ['Set-Cookie'] : []),
    ...(isLimited ? ['RateLimit', 'RateLimit-Policy'] : []),
    ...(canBeTried ? ['Dry-Run'] : []),
  ];
  const all = { ...successes, ...errorResponses([...ANYWHERE, ...ofApi, ...limited, ...errors]) };
  const responses = Object.entries(all).map(([status, response]) => [
    status,
    { ...response, headers: { ...response.headers, ...headersOf(mayHave) } },
  ]);
  return Object.fromEntries(responses) as ResponsesObject;
}

/** A response of JSON. @param headers beside those that every answer has */
export function jsonResponse(
  description: string,
  schema: SchemaObject,
  { headers = [], examples }: { headers?: string[]; examples?: Record<string, unknown> } = {},
): ResponseObject {
  const told = Object.entries(examples ?? {}).map(([name, value]) => [name, { value }]);
  const content = examples === undefined ? { schema } : { schema, examples: Object.fromEntries(told) };
  return { description, headers: headersOf(headers), content: { 'application/json': content } };
}

/** The responses for errors by their status; each names the errors of the catalogue that it may be. */
function errorResponses(names: readonly ErrorName[]): Record<string, ResponseObject> {
  const byStatus: Record<string, ErrorName[]> = {};
  for (const name of new Set(names)) (byStatus[ERROR_EXAMPLES[name].status] ??= []).push(name);
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, errors]) => [status, errorResponse(Number(status), errors)]),
  );
}

function errorResponse(status: number, errors: readonly ErrorName[]): ResponseObject {
  // Node's own headers of a connection are no part of the description.
  const headers = errors
    .flatMap((name) => Object.keys(ERROR_EXAMPLES[name].headers))
    .filter((name) => name !== 'Connection');
  const examples = errors.map((name) => [name, { $ref: `#/components/examples/${name}` }]);
  return {
    description: STATUS_CODES[status] as string,
    headers: headersOf(headers),
    content: { 'application/json': { schema: ERROR, examples: Object.fromEntries(examples) } },
  };
}
