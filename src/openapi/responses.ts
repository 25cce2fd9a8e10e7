import { STATUS_CODES } from 'node:http';
import type { ResponseObject, ResponsesObject } from 'openapi3-ts/oas31';
import { ERROR_EXAMPLES, type ErrorName } from './error-examples.js';
import { headersOf } from './headers.js';

/** Errors that any request may get: parser, headers, unexpected failures. */
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

interface Features {
  /** Below the API's prefix, so with cluster mode and admission control. */
  isOfApi: boolean;
  /** Has rate limits. */
  isLimited: boolean;
  hasDryRun?: boolean;
}

/**
 * Every response of an operation by its status.
 * @param described complete responses, which replace generated ones with the same status
 * @param errors of the operation, in addition to those of every request
 */
export function responsesOf(
  described: Readonly<Record<string, ResponseObject>>,
  errors: readonly ErrorName[],
  { isOfApi, isLimited, hasDryRun = false }: Features,
): ResponsesObject {
  const ofApi: ErrorName[] = isOfApi ? ['anotherServer', 'unavailable'] : [];
  const limited: ErrorName[] = isLimited ? ['tooManyRequests'] : [];
  const mayHave = [
    ...(isOfApi ? ['Set-Cookie'] : []),
    ...(isLimited ? ['RateLimit', 'RateLimit-Policy'] : []),
    ...(hasDryRun ? ['Dry-Run'] : []),
  ];
  const all = { ...errorResponses([...ANYWHERE, ...ofApi, ...limited, ...errors]), ...described };
  const responses = Object.entries(all).map(([status, response]) => [
    status,
    { ...response, headers: { ...response.headers, ...headersOf(mayHave) } },
  ]);
  return Object.fromEntries(responses) as ResponsesObject;
}

/** Error responses by status, each with its errors of the catalogue as examples. */
function errorResponses(names: readonly ErrorName[]): Record<string, ResponseObject> {
  const byStatus: Record<string, ErrorName[]> = {};
  for (const name of new Set(names)) (byStatus[ERROR_EXAMPLES[name].status] ??= []).push(name);
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, errors]) => [status, errorResponse(Number(status), errors)]),
  );
}

function errorResponse(status: number, errors: readonly ErrorName[]): ResponseObject {
  // Connection is Node's own header and not part of the API.
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
