import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { malformedHeader } from '../errors/errors.js';
import { apiPaths } from './api-paths.js';
import type { RegistryRequest, Step } from './exchange.js';
import { QUERY_PARAMETERS } from './query-parameters.js';
import { targetOf } from './request-head.js';

/** The writes that can be tried; the others know no `dry_run`. */
const ROUTES = new Set([
  ...apiPaths('assets').map((path) => `POST /${path}`),
  ...apiPaths('assets/:id').map((path) => `PATCH /${path}`),
]);

/**
 * Whether a write is to be tried only. The answer says so from here on, errors too. Source: contract sections 8, the 400s, and 14.
 * @param templateOf the template of the route that would take a request
 */
export function dryRunCheck(templateOf: (method: string, path: string) => string | undefined): Step {
  return (request, response) => {
    const { path, query } = targetOf(request);
    if (query.parameters.length === 0 || !ROUTES.has(`${request.method} ${templateOf(request.method, path)}`)) return;
    request.isDryRun = QUERY_PARAMETERS.dry_run.read(query);
    if (!request.isDryRun) return;
    response.setHeader('Dry-Run', '1');
    if (request.headers['idempotency-key'] !== undefined)
      throw malformedHeader('Idempotency-Key', 'A dry run keeps nothing: it may be repeated without this header');
  };
}

/** Handler parameter: whether the write is to be tried only. */
export const IsDryRun = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<RegistryRequest>().isDryRun,
);
