import type { AssetType } from '../asset-type.js';
import example from './basic.example.json' with { type: 'json' };
import { BasicAsset } from './basic.dto.js';

export const basic: AssetType<BasicAsset> = {
  name: 'basic',
  labels: { uk: 'Майно', en: 'Property item' },
  dto: BasicAsset,
  example,
};
