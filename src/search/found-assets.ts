import { Injectable } from '@nestjs/common';
import type { ReadAsset } from '../database/asset-row.js';
import { PAGE_BYTES } from '../database/fitting-rows.js';
import type { IndexHit } from '../database/search/index-query.js';
import { ApiError } from '../errors/api-error.js';
import { AssetHistory } from '../feed/reading/asset-history.js';
import { ShownAssets } from '../feed/reading/shown-assets.js';

/** Each may have a megabyte. */
const READ_AT_ONCE = 5;

export interface FoundAsset {
  hit: IndexHit;
  asset: ReadAsset;
}

/** Reads what a search has found, as it was when the index took it in: only so does it match what was asked. */
@Injectable()
export class FoundAssets {
  constructor(
    private readonly assets: ShownAssets,
    private readonly history: AssetHistory,
  ) {}

  /**
   * As many of the first ones as fit into a page, and one in any case.
   * @throws ApiError 503 while the database is away
   */
  async read(hits: readonly IndexHit[]): Promise<FoundAsset[]> {
    const found: FoundAsset[] = [];
    let bytes = 0;
    for (let i = 0; i < hits.length; i += READ_AT_ONCE) {
      for (const one of await Promise.all(hits.slice(i, i + READ_AT_ONCE).map((hit) => this.find(hit)))) {
        if (one === undefined) continue;
        bytes += one.asset.body.length;
        if (bytes > PAGE_BYTES && found.length > 0) return found;
        found.push(one);
      }
    }
    return found;
  }

  /** Undefined for what the index knows of a state of the database that was taken back. @throws ApiError 503 while the database is away */
  async find(hit: IndexHit): Promise<FoundAsset | undefined> {
    const now = await this.assets.find(hit.id);
    if (now === undefined) return undefined;
    const asset = now.modifiedUs === hit.modifiedUs ? now : await this.asItWas(hit);
    return asset && { hit, asset };
  }

  private async asItWas({ id, modifiedUs }: IndexHit): Promise<ReadAsset | undefined> {
    try {
      return await this.history.at(id, modifiedUs);
    } catch (error) {
      // An operator may have removed its history.
      if (error instanceof ApiError && error.status === 404) return undefined;
      throw error;
    }
  }
}
