import { Injectable } from '@nestjs/common';
import type { ReadAsset } from '../database/readers/asset-row.js';
import { PAGE_BYTES } from '../database/readers/page-size-limit.js';
import type { IndexHit } from '../database/search/index-answers.js';
import { ApiError } from '../platform/errors/api-error.js';
import { AssetHistory } from '../feed/reading/asset-history.js';
import { ShownAssets } from '../feed/reading/shown-assets.js';

/** Assets read by one statement; each may have 1 MiB. */
const ASSETS_PER_READ = 25;

export interface FoundAsset {
  hit: IndexHit;
  asset: ReadAsset;
}

/** Reads the assets behind hits, each in its indexed version, because a later version may not match the query. */
@Injectable()
export class FoundAssets {
  constructor(
    private readonly assets: ShownAssets,
    private readonly history: AssetHistory,
  ) {}

  /**
   * Returns the first assets that fit into a page, at least one.
   * @throws ApiError 503 while the database is down
   */
  async read(hits: readonly IndexHit[]): Promise<FoundAsset[]> {
    const found: FoundAsset[] = [];
    let bytes = 0;
    for (let at = 0; at < hits.length;) {
      const some = hits.slice(at, at + ASSETS_PER_READ);
      const { assets, idsRead } = await this.assets.findFitting(some.map(({ id }) => id));
      const byId = new Map(assets.map((asset) => [asset.id, asset]));
      for (const hit of some.slice(0, idsRead)) {
        const one = await this.asIndexed(hit, byId.get(hit.id));
        if (one === undefined) continue;
        bytes += one.asset.body.length;
        if (bytes > PAGE_BYTES && found.length > 0) return found;
        found.push(one);
      }
      at += idsRead;
    }
    return found;
  }

  /** @returns undefined if the indexed version is not in the database, such as after a rollback @throws ApiError 503 while the database is down */
  async find(hit: IndexHit): Promise<FoundAsset | undefined> {
    return this.asIndexed(hit, await this.assets.find(hit.id));
  }

  private async asIndexed(hit: IndexHit, now: ReadAsset | undefined): Promise<FoundAsset | undefined> {
    if (now === undefined) return undefined;
    const asset = now.modifiedUs === hit.modifiedUs ? now : await this.fromHistory(hit);
    return asset && { hit, asset };
  }

  private async fromHistory({ id, modifiedUs }: IndexHit): Promise<ReadAsset | undefined> {
    try {
      return await this.history.at(id, modifiedUs);
    } catch (error) {
      // An operator may have deleted the asset's history.
      if (error instanceof ApiError && error.status === 404) return undefined;
      throw error;
    }
  }
}
