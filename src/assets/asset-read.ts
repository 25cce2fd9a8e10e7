import { ASSET_ID, ID } from '../feed/asset-identifiers.js';
import { assetNotFoundAt } from '../http/asset-not-found.js';
import { type Origin, rootOf } from '../http/origins.js';
import type { RegistryRequest } from '../http/request.js';
import { QUERY_PARAMETERS } from '../http/query-parameters.js';
import { mayHoldToken, printQuery, targetOf } from '../http/request-target.js';
import { type ListingQuery, listingQueryOf } from '../listing/feed-pages.js';
import type { RegistryTime } from '../platform/time/registry-time.js';

/** A GET of an asset. */
export interface AssetRead {
  /** Its id, or its assetID in either case. */
  name: string;
  /** Selects the state at this instant, in microseconds since 1970 UTC; undefined for the current one. */
  atUs: number | undefined;
  ifNoneMatch: string | undefined;
}

/** Parses a GET of an asset. @throws ApiError 400, then 404 */
export function assetReadOf(request: RegistryRequest, time: RegistryTime): AssetRead {
  const at = QUERY_PARAMETERS.at.read(targetOf(request).query, time);
  const { id = '' } = request.params;
  // Other texts never reach the database.
  if (!ID.test(id) && !ASSET_ID.test(id)) throw assetNotFoundAt(id);
  return { name: id, atUs: at?.us, ifNoneMatch: request.headers['if-none-match'] };
}

/** The asset's name in the path of a request. */
const PERCENT_ENCODED_NAME = /(?<=\/assets\/)[^/]+/;

/** @returns a Content-Location with the asset's id in place of the name */
export function contentLocation(origin: Origin, id: string): Record<string, string> {
  const parameters = origin.query.parameters.filter((parameter) => !mayHoldToken(parameter));
  const search = parameters.length === 0 ? '' : `?${printQuery(parameters)}`;
  return { 'Content-Location': rootOf(origin) + origin.path.replace(PERCENT_ENCODED_NAME, id) + search };
}

/** A GET of an asset's history: a page of it, or the asset at an instant. */
interface HistoryQuery extends AssetRead {
  page: ListingQuery;
}

/** Parses a GET of a history. @throws ApiError 400, then 404 */
export function historyQueryOf(request: RegistryRequest, time: RegistryTime): HistoryQuery {
  const page = listingQueryOf(targetOf(request).query, time);
  return { ...assetReadOf(request, time), page };
}
