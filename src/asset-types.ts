/*
 * What packages of other repositories import as `asset-registry/asset-types`: all that an asset type is written with, and the function that
 * tries one. What is not named here may change with any release.
 */

export * from './asset-types/vocabulary.js';
export { checkAssetType } from './assets/type-check/check-asset-type.js';
