/*
 * The API for asset types. Types of this repository import it as `../vocabulary.js`, types in packages as `asset-registry/asset-types`.
 */

export type { AssetExample, AssetType } from './asset-type.js';
export {
  Amount,
  Choice,
  Currency,
  DateTime,
  Day,
  type DtoClass,
  type Field,
  type FieldOptions,
  Flag,
  Items,
  type JsonSchema,
  LongText,
  Nested,
  Quantity,
  Text,
  Texts,
  ValueField,
  type ValueFieldOptions,
  WebUrl,
  Year,
} from './fields.js';
export type { Labels } from './labels.js';
export { type Actor, type Editor, type Lifecycle, type Move, STANDARD_LIFECYCLE, type State } from './lifecycle.js';
export type { FieldFault } from './fields-json.js';
export { PlainDto } from './plain-dto.js';

export { BasicAsset } from './basic/basic.dto.js';
export { Address, Classification, ContactPoint, Custodian, Identifier, Item, Unit, Value } from './shared/parts.dto.js';
