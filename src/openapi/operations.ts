import type {
  ContentObject,
  MediaTypeObject,
  OperationObject,
  PathItemObject,
  ReferenceObject,
  ResponseObject,
} from 'openapi3-ts/oas31';
import type { ErrorName } from './error-examples.js';
import type { Examples } from './examples.js';
import { headersOf, optional } from './headers.js';
import { parametersOf, readParametersOf } from './parameters.js';
import { pathItemOf } from './paths.js';
import { responsesOf } from './responses.js';
import type { SourceOperation, SourcePath, SourceResponse } from './source.js';

/** Errors of every request with a body, which always needs a key. */
const BODY_ERRORS: readonly ErrorName[] = [
  'mediaTypeRefused',
  'contentEncodingRefused',
  'keyRefused',
  'tooManyBytes',
  'bodyNotJson',
  'tooManyValues',
  'clockInDoubt',
];

/** Completes a path of openapi.yaml with what the code knows. @param base URL of the service, without a trailing slash */
export function completePath(
  template: string,
  { servers, ...operations }: SourcePath,
  base: string,
  examples: Examples,
): PathItemObject {
  const complete = Object.entries(operations).map(([method, operation]) => [
    method,
    completed(operation, method === 'get' ? readParametersOf(template) : [], servers === undefined, examples),
  ]);
  const inPath = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
  const outside = servers?.map(({ url }) => ({ url: base === '' ? url : base }));
  return pathItemOf(Object.fromEntries(complete), inPath, outside);
}

function completed(
  { 'x-parameters': names = [], 'x-errors': errors = [], responses, requestBody, ...operation }: SourceOperation,
  ofQuery: readonly string[],
  isOfApi: boolean,
  examples: Examples,
): OperationObject {
  const successes = Object.entries(responses).map(([status, response]) => [status, withHeaders(response, examples)]);
  return {
    security: [],
    ...operation,
    parameters: parametersOf([...ofQuery, ...names]),
    ...(requestBody && { requestBody: withExamples(requestBody, examples) }),
    responses: responsesOf(
      Object.fromEntries(successes),
      requestBody === undefined ? errors : [...BODY_ERRORS, ...errors],
      { isOfApi, isLimited: isOfApi, hasDryRun: names.includes('dry_run') },
    ),
  };
}

function withHeaders(response: SourceResponse, examples: Examples): ResponseObject {
  const { 'x-headers': always = [], 'x-optional-headers': sometimes = [], ...described } = response;
  return { ...withExamples(described, examples), headers: { ...headersOf(always), ...optional(sometimes) } };
}

/** Adds the examples of its schema, if there are any. */
function withExamples<T extends { content?: ContentObject }>(described: T, examples: Examples): T {
  const { content } = described;
  if (content === undefined) return described;
  const shown = Object.entries(content).map(([type, media]) => [type, { ...media, ...examplesOf(media, examples) }]);
  return { ...described, content: Object.fromEntries(shown) };
}

function examplesOf({ schema }: MediaTypeObject, examples: Examples): MediaTypeObject {
  const { $ref = '' } = (schema ?? {}) as Partial<ReferenceObject>;
  const known = examples[$ref.slice($ref.lastIndexOf('/') + 1)];
  return known === undefined ? {} : { examples: known };
}
