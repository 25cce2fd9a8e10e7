import { STATUS_CODES } from 'node:http';
import type { ResponseObject, ResponsesObject } from 'openapi3-ts/oas31';
import { ERROR_EXAMPLES, type ErrorName } from './error-examples.js';
import { headersOf } from './headers.js';

/** Errors that any request may get: of the parser, of the head, and unexpected failures. */
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

/**
 * Every response of an operation by its status.
 * @param described those that are described in full; an error among them is left as it is
 * @param errors those of the operation, in addition to the errors of every request
 */
export function responsesOf(
  described: Readonly<Record<string, ResponseObject>>,
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
  const all = { ...errorResponses([...ANYWHERE, ...ofApi, ...limited, ...errors]), ...described };
  const responses = Object.entries(all).map(([status, response]) => [
    status,
    { ...response, headers: { ...response.headers, ...headersOf(mayHave) } },
  ]);
  return Object.fromEntries(responses) as ResponsesObject;
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
  const content = { schema: { $ref: '#/components/schemas/Error' }, examples: Object.fromEntries(examples) };
  return {
    description: STATUS_CODES[status] as string,
    headers: headersOf(headers),
    content: { 'application/json': content },
  };
}
