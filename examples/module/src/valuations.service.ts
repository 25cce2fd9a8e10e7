import { Injectable } from '@nestjs/common';
import { PublicAssets } from 'asset-registry/module';

export interface Valuation {
  amount: number;
  by: string;
}

export interface ValuedAsset {
  assetID: string;
  title: unknown;
  valuations: readonly Valuation[];
}

/** Keeps valuations in memory only, because this is an example. */
@Injectable()
export class ValuationsService {
  private readonly valuations = new Map<string, Valuation[]>();

  constructor(private readonly assets: PublicAssets) {}

  /** @throws ApiError 404 if there is no such asset */
  async list(idOrAssetId: string): Promise<ValuedAsset> {
    const { id, assetID, title } = await this.assets.get(idOrAssetId);
    return { assetID, title, valuations: this.valuations.get(id) ?? [] };
  }

  /** @throws ApiError 404 if there is no such asset */
  async add(idOrAssetId: string, valuation: Valuation): Promise<ValuedAsset> {
    const { id } = await this.assets.get(idOrAssetId);
    this.valuations.set(id, [...(this.valuations.get(id) ?? []), valuation]);
    return this.list(id);
  }
}
