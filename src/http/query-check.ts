import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { malformedHeader, malformedParameter } from '../errors/errors.js';
import type { RegistryTime } from '../time/registry-time.js';
import { apiPaths } from './api-paths.js';
import type { RegistryRequest, RegistryResponse, Step } from './exchange.js';
import { QUERY_PARAMETERS, type QueryParameter, READ_PARAMETERS } from './query-parameters.js';
import type { RegistryAdapter } from './registry-adapter.js';
import { targetOf } from './request-head.js';

const READS = new Set(['GET', 'HEAD']);
const WRITES = new Set(['POST', 'PATCH']);
/** By the template of a route. */
const PARAMETERS = new Map<string, QueryParameter[]>(
  Object.entries(READ_PARAMETERS).flatMap(([resource, names]) =>
    apiPaths(resource).map((path) => [`/${path}`, names.map((name) => QUERY_PARAMETERS[name])] as const),
  ),
);
/** The writes that can be tried. */
const TRIED = new Set([
  ...apiPaths('assets').flatMap((path) => [`POST /${path}`, `PATCH /${path}`]),
  ...apiPaths('assets/:id').map((path) => `PATCH /${path}`),
]);

/**
 * The second check of every request: what it asks for beside its path can be understood. The pipes of a read read it again, which costs less
 * than keeping it. Source: contract section 8, the 400s.
 * @param routes know the template of the route that would take a request
 * @param others what else is checked of a read, by the template of its route
 */
export function queryCheck(
  routes: Pick<RegistryAdapter, 'templateOf'>,
  time: RegistryTime,
  others: ReadonlyMap<string, (request: RegistryRequest) => unknown>,
): Step {
  return (request, response) => {
    const { path, query } = targetOf(request);
    if (query.parameters.length === 0 && request.headers['last-event-id'] === undefined) return;
    const isRead = READS.has(request.method);
    if (!isRead && !WRITES.has(request.method)) return;
    const template = routes.templateOf(request.method, path);
    if (template === undefined) return;
    if (!isRead) {
      checkDryRun(request, response, template);
      return;
    }
    for (const parameter of PARAMETERS.get(template) ?? []) parameter.read?.(query, time);
    others.get(template)?.(request);
  };
}

/** Whether a write is to be tried only. The answer says so from here on, errors too. Source: contract sections 8, the 400s, and 14. */
function checkDryRun(request: RegistryRequest, response: RegistryResponse, template: string): void {
  if (!QUERY_PARAMETERS.dry_run.read(targetOf(request).query)) return;
  // It would be made, by somebody who expects that it is not.
  if (!TRIED.has(`${request.method} ${template}`))
    throw malformedParameter('dry_run', 'There is no dry run of this request');
  request.isDryRun = true;
  response.setHeader('Dry-Run', '1');
  if (request.headers['idempotency-key'] !== undefined)
    throw malformedHeader('Idempotency-Key', 'A dry run keeps nothing: it may be repeated without this header');
}

/** Handler parameter: whether the write is to be tried only. */
export const IsDryRun = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<RegistryRequest>().isDryRun,
);
