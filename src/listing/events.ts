import { malformedHeader, malformedParameter } from '../errors/errors.js';
import { apiPaths } from '../http/api-paths.js';
import type { RegistryRequest } from '../http/exchange.js';
import { targetOf, prefers } from '../http/request-head.js';
import { QUERY_PARAMETERS } from '../http/query-parameters.js';
import type { RegistryTime } from '../time/registry-time.js';

/** Whether the listing is asked for as a stream of events. Source: contract section 12. */
export function wantsEvents({ headers }: RegistryRequest): boolean {
  return prefers('text/event-stream', headers.accept);
}

/**
 * The id of the last event that a client has seen, in microseconds; undefined where it says none.
 * @throws ApiError 400 for what is no instant, and for events of the descending listing
 */
export function lastEventUs(request: RegistryRequest, time: RegistryTime): number | undefined {
  if (QUERY_PARAMETERS.descending.read(targetOf(request).query))
    throw malformedParameter('descending', 'Events come in the order of the changes, the oldest first');
  const sent = request.headers['last-event-id'];
  if (sent === undefined || sent === '') return undefined;
  const us = time.parse(String(sent));
  if (us === undefined) throw malformedHeader('Last-Event-ID', 'The id of an event is required');
  return us;
}

/** What is checked of a request for events before its route is looked up, by the template of the route. */
export function eventChecks(time: RegistryTime): ReadonlyMap<string, (request: RegistryRequest) => unknown> {
  const check = (request: RegistryRequest): unknown => wantsEvents(request) && lastEventUs(request, time);
  return new Map(apiPaths('assets').map((path) => [`/${path}`, check]));
}
