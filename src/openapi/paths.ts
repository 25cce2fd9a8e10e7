import type { OperationObject, PathItemObject, ResponseObject, ResponsesObject, ServerObject } from 'openapi3-ts/oas31';
import { allowing } from '../http/allow-header.js';
import { constantHeaders, headersOf } from './headers.js';
import { KEY } from './operations.js';
import type { Operation, Path } from './operation.js';
import { parametersOf } from './parameters.js';
import { responsesOf } from './responses.js';

/** A path with everything that it answers. @param outside the servers of what is not below the prefix of the API */
export function pathItemOf({ methods, ...path }: Path, outside: ServerObject[]): PathItemObject {
  const { get, post, patch } = methods;
  const servers = path.isOfApi ? {} : { servers: outside };
  const parameters = parametersOf([
    ...(path.parameters ?? []),
    'opt_pretty',
    'xRequestId',
    ...(path.isOfApi ? (['serverId'] as const) : []),
  ]);
  return {
    ...servers,
    parameters,
    ...(get && { get: operationOf(get, path), head: headOf(operationOf(get, path)) }),
    ...(post && { post: operationOf(post, path) }),
    ...(patch && { patch: operationOf(patch, path) }),
    options: optionsOf({ methods, ...path }),
  };
}

function operationOf(operation: Operation, { tag, isOfApi }: Omit<Path, 'methods'>): OperationObject {
  const { id, summary, parameters, body, bodyIsOptional, successes, errors } = operation;
  return {
    operationId: id,
    summary,
    tags: [tag],
    security: body === undefined ? [] : KEY,
    parameters: parametersOf(parameters),
    ...(body && { requestBody: { required: bodyIsOptional !== true, content: { 'application/json': body } } }),
    responses: responsesOf(successes, errors, {
      isOfApi,
      isLimited: isOfApi,
      canBeTried: parameters.includes('dry_run'),
    }),
  };
}

/** The HEAD of a GET: the same without bodies. */
function headOf({ operationId, summary, responses, ...get }: OperationObject): OperationObject {
  return {
    ...get,
    operationId: `${operationId}Head`,
    summary: `As GET, with no body: ${summary}`,
    responses: withoutContent(responses as ResponsesObject),
  };
}

function withoutContent(responses: ResponsesObject): ResponsesObject {
  const bare = Object.entries(responses).map(([status, response]) => {
    const { content: _content, 'x-other-content': _others, ...head } = response as ResponseObject;
    return [status, head];
  });
  return Object.fromEntries(bare) as ResponsesObject;
}

function optionsOf({ methods, tag, isOfApi }: Path): OperationObject {
  const [{ id }] = Object.values(methods) as [Operation];
  const sent = allowing(Object.keys(methods).map((method) => method.toUpperCase())).headers;
  const headers = { ...headersOf([]), ...constantHeaders(sent) };
  const description = `${sent['Allow']} are allowed`;
  return {
    operationId: `${id}Options`,
    summary: 'The methods of this path, also for browsers that ask before they send',
    tags: [tag],
    security: [],
    responses: responsesOf({ 204: { description, headers } }, [], { isOfApi, isLimited: false }),
  };
}
