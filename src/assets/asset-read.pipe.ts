import { Injectable, type PipeTransform } from '@nestjs/common';
import { ID } from '../asset/identifiers.js';
import { noAssetAt } from '../asset/no-asset.js';
import type { RegistryRequest } from '../http/exchange.js';
import { QUERY_PARAMETERS } from '../http/query-parameters.js';
import { targetOf } from '../http/request-head.js';
import { type ListingQuery, ListingQueryPipe } from '../listing/paging.js';
import { RegistryTime } from '../time/registry-time.js';

/** What a GET of an asset asks for. */
export interface AssetRead {
  id: string;
  /** As it was at this instant, in microseconds; undefined for now. */
  atUs: number | undefined;
  ifNoneMatch: string | undefined;
}

/** Reads the request of an asset, all of it at once: a parameter of its own for each part would cost more than reading them. */
@Injectable()
export class AssetReadPipe implements PipeTransform<RegistryRequest, AssetRead> {
  constructor(private readonly time: RegistryTime) {}

  /** @throws ApiError 400, then 404 */
  transform(request: RegistryRequest): AssetRead {
    const at = QUERY_PARAMETERS.at.read(targetOf(request).query, this.time);
    const { id = '' } = request.params;
    // Nothing but an id ever reaches the database.
    if (!ID.test(id)) throw noAssetAt(id);
    return { id, atUs: at?.us, ifNoneMatch: request.headers['if-none-match'] };
  }
}

/** A part of an asset's history, or the asset at an instant. */
export interface HistoryQuery extends AssetRead {
  /** By the rules of the listing. */
  page: ListingQuery;
}

/** Reads the request of a history. */
@Injectable()
export class HistoryQueryPipe implements PipeTransform<RegistryRequest, HistoryQuery> {
  private readonly reads: AssetReadPipe;
  private readonly pages: ListingQueryPipe;

  constructor(time: RegistryTime) {
    this.reads = new AssetReadPipe(time);
    this.pages = new ListingQueryPipe(time);
  }

  /** @throws ApiError 400, then 404 */
  transform(request: RegistryRequest): HistoryQuery {
    const page = this.pages.transform(targetOf(request).query);
    return { ...this.reads.transform(request), page };
  }
}
