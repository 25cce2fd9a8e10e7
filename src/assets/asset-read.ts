import { ASSET_ID, ID } from '../feed/asset-identifiers.js';
import { assetNotFoundAt } from '../http/asset-not-found.js';
import type { RegistryRequest } from '../http/request.js';
import { QUERY_PARAMETERS } from '../http/query-parameters.js';
import { mayHoldToken, printQuery, targetOf } from '../http/request-target.js';
import { type ListingQuery, listingQueryOf } from '../listing/feed-pages.js';
import type { RegistryTime } from '../platform/time/registry-time.js';

/** What a GET of an asset asks for. */
export interface AssetRead {
  /** Its id, or its assetID in capitals or small letters. */
  name: string;
  /** The instant of the state that is asked for, in microseconds since 1970 UTC; undefined for now. */
  atUs: number | undefined;
  ifNoneMatch: string | undefined;
}

/** Reads the request of an asset. @throws ApiError 400, then 404 */
export function assetReadOf(request: RegistryRequest, time: RegistryTime): AssetRead {
  const at = QUERY_PARAMETERS.at.read(targetOf(request).query, time);
  const { id = '' } = request.params;
  // Nothing else ever reaches the database.
  if (!ID.test(id) && !ASSET_ID.test(id)) throw assetNotFoundAt(id);
  return { name: id, atUs: at?.us, ifNoneMatch: request.headers['if-none-match'] };
}

/** Where an asset is that was asked for by its number: the path with its id. Source: contract section 4. */
export function contentLocation(request: RegistryRequest, { name }: AssetRead, id: string): Record<string, string> {
  if (name === id) return {};
  const { path, query } = targetOf(request);
  const parameters = query.parameters.filter((parameter) => !mayHoldToken(parameter));
  const asked = parameters.length === 0 ? '' : `?${printQuery(parameters)}`;
  return { 'Content-Location': path.replace(name, id) + asked };
}

/** A part of an asset's history, or the asset at an instant. */
interface HistoryQuery extends AssetRead {
  /** Which part of the history, in the parameters of the listing. */
  page: ListingQuery;
}

/** Reads the request of a history. @throws ApiError 400, then 404 */
export function historyQueryOf(request: RegistryRequest, time: RegistryTime): HistoryQuery {
  const page = listingQueryOf(targetOf(request).query, time);
  return { ...assetReadOf(request, time), page };
}
