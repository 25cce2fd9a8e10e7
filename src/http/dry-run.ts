import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { malformedHeader, malformedParameter } from '../errors/errors.js';
import { apiPaths } from './api-paths.js';
import type { RegistryRequest, Step } from './exchange.js';
import { QUERY_PARAMETERS } from './query-parameters.js';
import { targetOf } from './request-head.js';

/** The writes that can be tried. */
const ROUTES = new Set([
  ...apiPaths('assets').flatMap((path) => [`POST /${path}`, `PATCH /${path}`]),
  ...apiPaths('assets/:id').map((path) => `PATCH /${path}`),
]);
const WRITES = new Set(['POST', 'PATCH']);

/**
 * Whether a write is to be tried only. The answer says so from here on, errors too. Source: contract sections 8, the 400s, and 14.
 * @param templateOf the template of the route that would take a request
 */
export function dryRunCheck(templateOf: (method: string, path: string) => string | undefined): Step {
  return (request, response) => {
    const { path, query } = targetOf(request);
    if (query.parameters.length === 0 || !WRITES.has(request.method)) return;
    const template = templateOf(request.method, path);
    if (template === undefined || !QUERY_PARAMETERS.dry_run.read(query)) return;
    // It would be made, by somebody who expects that it is not.
    if (!ROUTES.has(`${request.method} ${template}`))
      throw malformedParameter('dry_run', 'There is no dry run of this request');
    request.isDryRun = true;
    response.setHeader('Dry-Run', '1');
    if (request.headers['idempotency-key'] !== undefined)
      throw malformedHeader('Idempotency-Key', 'A dry run keeps nothing: it may be repeated without this header');
  };
}

/** Handler parameter: whether the write is to be tried only. */
export const IsDryRun = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<RegistryRequest>().isDryRun,
);
