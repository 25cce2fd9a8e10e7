import { Injectable } from '@nestjs/common';
import type { ReadAsset } from '../database/readers/asset-row.js';
import { ID } from '../feed/asset-identifiers.js';
import { printAsset } from '../feed/reading/asset-view.js';
import { ExactFeed } from '../feed/reading/exact-feed.js';
import { ShownAssets } from '../feed/reading/shown-assets.js';
import { MAX_ENTRIES } from '../http/query-parameters.js';
import { assetNotFound, malformedParameter } from '../platform/errors/errors.js';
import { RegistryTime } from '../platform/time/registry-time.js';

/** An asset as anyone may see it: what `GET /assets/{id}` answers as `data`. */
export interface PublicAsset {
  id: string;
  assetID: string;
  assetType: string;
  status: string;
  owner: string;
  date: string;
  dateModified: string;
  relatedLot?: string;
  /** The fields of its type. */
  [field: string]: unknown;
}

/** Which page of the feed is asked for. */
interface ChangesAsked {
  /** The dateModified of the last entry that is known already; without it, from the first change on. */
  offset?: string;
  /** 1 to 1000. */
  limit?: number;
}

/** Reads assets for modules of teams, as the API answers them. */
@Injectable()
export class PublicAssets {
  constructor(
    private readonly assets: ShownAssets,
    private readonly feed: ExactFeed,
    private readonly time: RegistryTime,
  ) {}

  /**
   * Finds an asset by its id, or by its assetID in capitals or small letters, by which a draft is not found.
   * @throws ApiError 503 while the database is away
   */
  async find(id: string): Promise<PublicAsset | undefined> {
    return this.read(await (ID.test(id) ? this.assets.find(id) : this.assets.findListed(id)));
  }

  /** The same. @throws ApiError 404, 503 */
  async get(id: string): Promise<PublicAsset> {
    const asset = await this.find(id);
    if (asset === undefined) throw assetNotFound();
    return asset;
  }

  /**
   * Lists assets in the order of their changes, the oldest first. Whoever asks again with the last dateModified as offset misses no change;
   * only an empty page is the end.
   * @throws ApiError 400 for an offset that is no instant, 503
   */
  async listChanges({ offset, limit = MAX_ENTRIES }: ChangesAsked = {}): Promise<PublicAsset[]> {
    const afterUs = offset === undefined ? -1 : this.time.parse(offset);
    if (afterUs === undefined) throw malformedParameter('offset', 'An ISO 8601 date, or date and time, is required');
    const range = { afterUs, beforeUs: Number.MAX_SAFE_INTEGER, newestFirst: false, whole: true };
    const { entries } = await this.feed.read({ ...range, limit: Math.min(limit, MAX_ENTRIES) });
    return entries.flatMap(({ asset }) => this.read(asset) ?? []);
  }

  private read(asset: ReadAsset | undefined): PublicAsset | undefined {
    return asset && (JSON.parse(printAsset(asset, this.time).toString()) as PublicAsset);
  }
}
