import type { AssetType } from '../asset-type.js';
import example from './compound.example.json' with { type: 'json' };
import { CompoundAsset } from './compound.dto.js';

export const compound: AssetType<CompoundAsset> = {
  name: 'compound',
  labels: { uk: 'Майновий комплекс', en: 'Property complex' },
  dto: CompoundAsset,
  example,
};
