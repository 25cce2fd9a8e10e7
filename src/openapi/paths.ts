import type { OperationObject, PathItemObject, ResponseObject, ResponsesObject, ServerObject } from 'openapi3-ts/oas31';
import { optionsAnswer } from '../http/allow-header.js';
import { constantHeaders, headersOf } from './headers.js';
import { parametersOf } from './parameters.js';
import { responsesOf } from './responses.js';

/** Operations of a path by their methods. */
export type Operations = Partial<Record<'get' | 'post' | 'patch' | 'put' | 'delete', OperationObject>>;

/**
 * A complete path item; HEAD and OPTIONS are derived from the other methods.
 * @param names of parameters in the path itself @param outside servers of a path outside the API's prefix
 */
export function pathItemOf(operations: Operations, names: readonly string[], outside?: ServerObject[]): PathItemObject {
  const { get, ...others } = operations;
  const isOfApi = outside === undefined;
  return {
    ...(isOfApi ? {} : { servers: outside }),
    parameters: parametersOf([...names, 'opt_pretty', 'xRequestId', ...(isOfApi ? ['serverId'] : [])]),
    ...(get && { get, head: headOf(get) }),
    ...others,
    options: optionsOf(operations, isOfApi),
  };
}

/** The HEAD of a GET: the same without bodies. */
function headOf({ operationId, summary, responses, ...get }: OperationObject): OperationObject {
  return {
    ...get,
    operationId: `${operationId}Head`,
    summary: `As GET, without a body: ${summary}`,
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

function optionsOf(operations: Operations, isOfApi: boolean): OperationObject {
  const [first] = Object.values(operations);
  const sent = optionsAnswer(Object.keys(operations).map((method) => method.toUpperCase())).headers;
  const headers = { ...headersOf([]), ...constantHeaders(sent) };
  return {
    operationId: `${first?.operationId}Options`,
    summary: 'The methods of this path; also answers preflights of browsers',
    tags: first?.tags,
    security: [],
    responses: responsesOf({ 204: { description: `${sent['Allow']} are allowed`, headers } }, [], {
      isOfApi,
      isLimited: false,
    }),
  };
}
