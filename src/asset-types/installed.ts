import type { AssetType } from './asset-type.js';
import { basic } from './basic/basic.asset-type.js';

/** THE list: a type is installed by its line here. */
export const INSTALLED: readonly AssetType[] = [basic];
