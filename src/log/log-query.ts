import { malformedParameter, repeatedParameter } from '../platform/errors/errors.js';
import { apiPaths } from '../http/api-paths.js';
import type { RegistryRequest } from '../http/request.js';
import { type Query, targetOf } from '../http/request-target.js';

/** A number larger than any log's size. */
const PLACE = /^\d{1,15}$/;

/** Reads the parameter `from`. @throws ApiError 400 */
export function placeFrom(query: Query): number {
  if (query.all('from').length > 1) throw repeatedParameter('from');
  const text = query.get('from') || '0';
  if (!PLACE.test(text)) throw malformedParameter('from', 'The place of an entry is required: a whole number from 0');
  return Number(text);
}

/** Query checks by route template. Like those of all reads, they run before the cookie and the rate limit. */
export function logChecks(): ReadonlyMap<string, (request: RegistryRequest) => unknown> {
  const read = (request: RegistryRequest): number => placeFrom(targetOf(request).query);
  const paths = [...apiPaths('log/assets'), ...apiPaths('log/:epoch/assets')];
  return new Map(paths.map((path) => [`/${path}`, read] as const));
}
