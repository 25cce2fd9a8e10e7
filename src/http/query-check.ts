import type { RegistryTime } from '../time/registry-time.js';
import { apiPaths } from './api-paths.js';
import type { RegistryRequest, Step } from './exchange.js';
import { QUERY_PARAMETERS, type QueryParameter, READ_PARAMETERS } from './query-parameters.js';
import { targetOf } from './request-head.js';

const READS = new Set(['GET', 'HEAD']);
/** By the template of a route. */
const PARAMETERS = new Map<string, QueryParameter[]>(
  Object.entries(READ_PARAMETERS).flatMap(([resource, names]) =>
    apiPaths(resource).map((path) => [`/${path}`, names.map((name) => QUERY_PARAMETERS[name])] as const),
  ),
);

/**
 * The second check of every request: what a read asks for can be understood. The pipes read it again, which costs less than keeping it.
 * Source: contract section 8, the 400s.
 * @param templateOf the template of the route that would take a request
 * @param others what else is checked, by the template of its route
 */
export function queryCheck(
  templateOf: (method: string, path: string) => string | undefined,
  time: RegistryTime,
  others: ReadonlyMap<string, (request: RegistryRequest) => unknown>,
): Step {
  return (request) => {
    const { path, query } = targetOf(request);
    const isPlain = query.parameters.length === 0 && request.headers['last-event-id'] === undefined;
    if (!isPlain && READS.has(request.method)) {
      const template = templateOf(request.method, path) ?? '';
      for (const parameter of PARAMETERS.get(template) ?? []) parameter.read?.(query, time);
      others.get(template)?.(request);
    }
  };
}
