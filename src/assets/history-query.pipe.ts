import { Injectable, type PipeTransform } from '@nestjs/common';
import type { RegistryRequest } from '../http/exchange.js';
import { targetOf } from '../http/request-target.js';
import { type ListingQuery, ListingQueryPipe } from '../listing/listing-query.pipe.js';
import { RegistryTime } from '../time/registry-time.js';
import { type AssetRead, AssetReadPipe } from './asset-read.pipe.js';

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
