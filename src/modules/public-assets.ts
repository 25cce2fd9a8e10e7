import { Injectable } from '@nestjs/common';
import type { ReadAsset } from '../database/readers/asset-row.js';
import { ID } from '../feed/asset-identifiers.js';
import { printAsset } from '../feed/reading/asset-view.js';
import { ExactFeed } from '../feed/reading/exact-feed.js';
import { ShownAssets } from '../feed/reading/shown-assets.js';
import { MAX_ENTRIES } from '../http/query-parameters.js';
import { assetNotFound, malformedParameter } from '../platform/errors/errors.js';
import { RegistryTime } from '../platform/time/registry-time.js';

/** A public asset: the `data` of `GET /assets/{id}`. */
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

/** Selects a page of the feed. */
interface ChangesQuery {
  /** dateModified of the last known entry; by default the page begins with the first change. */
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
   * Finds an asset by its id, or a published one by its assetID, in either case.
   * @throws ApiError 503 while the database is away
   */
  async find(id: string): Promise<PublicAsset | undefined> {
    return this.read(await (ID.test(id) ? this.assets.find(id) : this.assets.findListed(id)));
  }

  /** As `find`. @throws ApiError 404, 503 */
  async get(id: string): Promise<PublicAsset> {
    const asset = await this.find(id);
    if (asset === undefined) throw assetNotFound();
    return asset;
  }

  /**
   * Lists assets in the order of their changes, oldest first. To miss no change, repeat with the last dateModified as `offset`; only an empty
   * page is the end.
   * @throws ApiError 400 if `offset` is not a timestamp, 503
   */
  async listChanges({ offset, limit = MAX_ENTRIES }: ChangesQuery = {}): Promise<PublicAsset[]> {
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
