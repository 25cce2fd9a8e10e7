/*
 * Everything that an asset type is written with, by one door: `../vocabulary.js` here, `asset-registry/asset-types` in a package of another
 * repository, so that a type moves between them without a change but that one. What is not named here may change with any release.
 */

export type { AssetExample, AssetType } from './asset-type.js';
export type { DtoClass, Field, JsonSchema } from './field.js';
export {
  Amount,
  Choice,
  Currency,
  DateTime,
  type FieldOptions,
  Flag,
  Items,
  LongText,
  Nested,
  Quantity,
  Text,
  ValueField,
  type ValueFieldOptions,
  WebUrl,
} from './fields.js';
export type { Labels } from './labels.js';
export { type Actor, type Editor, type Lifecycle, type Move, STANDARD_LIFECYCLE, type State } from './lifecycle.js';
export type { FieldFault } from './read-fields.js';

export { BasicAsset } from './basic/basic.dto.js';
export { Address } from './shared/address.dto.js';
export { Classification } from './shared/classification.dto.js';
export { ContactPoint, Custodian, Identifier } from './shared/custodian.dto.js';
export { Item } from './shared/item.dto.js';
export { Unit } from './shared/unit.dto.js';
export { Value } from './shared/value.dto.js';
