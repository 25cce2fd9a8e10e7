import { Inject, Injectable } from '@nestjs/common';
import { AssetReader, type FittingAssets } from '../../database/readers/asset-reader.js';
import type { ReadAsset } from '../../database/readers/asset-row.js';
import type { Asset } from '../../database/entities/asset.entity.js';
import type { Config } from '../../platform/config/config.js';
import { CONFIG } from '../../platform/config/config.module.js';
import { spellingsOf } from '../asset-identifiers.js';
import { DurableWatermark } from '../watermarks.js';

type AssetSource = Pick<AssetReader, 'find' | 'findFitting' | 'findRow' | 'findListed' | 'anyExists'>;

/** Reads single assets, and answers once they are durable. */
@Injectable()
export class ShownAssets {
  constructor(
    @Inject(AssetReader) private readonly assets: AssetSource,
    private readonly durable: DurableWatermark,
    @Inject(CONFIG) private readonly config: Pick<Config, 'assetIdPrefix'>,
  ) {}

  /** @param id 32 lower-case hex characters @throws ApiError 503 while the database is away */
  find(id: string): Promise<ReadAsset | undefined> {
    return this.whenDurable(this.assets.find(id));
  }

  /** Reads as many of the assets, in order, as fit into a page. @throws ApiError 503 while the database is away */
  async findFitting(ids: readonly string[]): Promise<FittingAssets> {
    const found = await this.assets.findFitting(ids);
    await this.durable.waitFor(Math.max(-1, ...found.assets.map(({ modifiedUs }) => modifiedUs)));
    return found;
  }

  /** Reads the whole row, including private columns, for a dry run. @throws ApiError 503 while the database is away */
  findRow(id: string): Promise<Asset | undefined> {
    return this.whenDurable(this.assets.findRow(id));
  }

  /** Finds a listed asset by its assetID, in capitals or small letters. @throws ApiError 503 while the database is away */
  async findListed(assetId: string): Promise<ReadAsset | undefined> {
    for (const spelling of spellingsOf(assetId, this.config.assetIdPrefix)) {
      const asset = await this.whenDurable(this.assets.findListed(spelling));
      if (asset !== undefined) return asset;
    }
    return undefined;
  }

  /** Whether there is any asset, including drafts. @throws ApiError 503 while the database is away */
  anyExists(): Promise<boolean> {
    return this.assets.anyExists();
  }

  private async whenDurable<Row extends Pick<Asset, 'modifiedUs'>>(
    reading: Promise<Row | undefined>,
  ): Promise<Row | undefined> {
    const asset = await reading;
    if (asset !== undefined) await this.durable.waitFor(asset.modifiedUs);
    return asset;
  }
}
