/*
 * The entry point `asset-registry/asset-types` for packages of other repositories: everything to write an asset type, and the function that
 * checks one. Only these exports are stable across releases.
 */

export * from './asset-types/vocabulary.js';
export { checkAssetType } from './assets/type-check/check-asset-type.js';
