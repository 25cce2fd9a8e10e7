import type { Request } from 'express';

/**
 * The template of the route that took a request, such as `/api/0.1/assets/:id`: one of a few, whatever clients ask for. Undefined
 * where none did: an unknown path, or a request that was refused before any route was looked up.
 */
export function routeOf(request: Request): string | undefined {
  return (request.route as { path?: string } | undefined)?.path;
}
