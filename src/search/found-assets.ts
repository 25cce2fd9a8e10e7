import { Injectable } from '@nestjs/common';
import type { ReadAsset } from '../database/asset-row.js';
import { PAGE_BYTES } from '../database/fitting-rows.js';
import type { IndexHit } from '../database/search/index-answers.js';
import { ApiError } from '../errors/api-error.js';
import { AssetHistory } from '../feed/reading/asset-history.js';
import { ShownAssets } from '../feed/reading/shown-assets.js';

/** Assets that the first statement reads: servers read a body to know its size. */
const READ_AT_FIRST = 10;
/** Where those before them were small. */
const READ_AT_ONCE = 100;
/** States of the past. Each may have a megabyte. */
const PAST_AT_ONCE = 5;

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
    for (let at = 0; at < hits.length;) {
      const areSmall = at > 0 && bytes / at <= PAGE_BYTES / READ_AT_ONCE;
      const some = hits.slice(at, at + (areSmall ? READ_AT_ONCE : READ_AT_FIRST));
      const { assets, ofFirst } = await this.assets.findFitting(some.map(({ id }) => id));
      for await (const one of this.asFound(some.slice(0, ofFirst), assets)) {
        bytes += one.asset.body.length;
        if (bytes > PAGE_BYTES && found.length > 0) return found;
        found.push(one);
      }
      at += ofFirst;
    }
    return found;
  }

  /** @param assets of the hits, as they are now; whoever is not among them is left out */
  private async *asFound(hits: readonly IndexHit[], assets: readonly ReadAsset[]): AsyncGenerator<FoundAsset> {
    const byId = new Map(assets.map((asset) => [asset.id, asset]));
    for (let i = 0; i < hits.length; i += PAST_AT_ONCE) {
      const some = hits.slice(i, i + PAST_AT_ONCE);
      for (const one of await Promise.all(some.map((hit) => this.as(hit, byId.get(hit.id)))))
        if (one !== undefined) yield one;
    }
  }

  /** Undefined for what the index knows of a state of the database that was taken back. @throws ApiError 503 while the database is away */
  async find(hit: IndexHit): Promise<FoundAsset | undefined> {
    return this.as(hit, await this.assets.find(hit.id));
  }

  private async as(hit: IndexHit, now: ReadAsset | undefined): Promise<FoundAsset | undefined> {
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
