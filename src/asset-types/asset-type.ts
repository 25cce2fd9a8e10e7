import type { DtoClass } from './fields.js';
import type { Labels } from './labels.js';
import type { Lifecycle } from './lifecycle.js';
import type { FieldFault } from './fields-json.js';

/** A complete body of POST; POST ignores `moves`. */
export interface AssetExample {
  data: Record<string, unknown>;
  /** Fields that a PATCH to a state needs besides `status` and `relatedLot`, by state, if `check` would refuse the move without them. */
  moves?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** An asset type. Validation, storage, listing, OpenAPI, pages and tests are derived from it. */
export interface AssetType<Dto extends object = object> {
  /** The value of `assetType`: a letter, then letters and digits. */
  name: string;
  /** Former names. POST accepts them, and assets stored under them are found; new assets get `name`. */
  aliases?: readonly string[];
  labels: Labels;
  /** The fields that the broker sets, with the decorators of fields.ts. */
  dto: DtoClass<Dto>;
  /** Used by the docs and by the tests of every installed type. */
  example: AssetExample;
  /** States and moves, if they differ from STANDARD_LIFECYCLE. */
  lifecycle?: Lifecycle;
  /**
   * Checks rules across fields, after each field is valid by itself. It runs while the asset is locked and in dry runs, so it must be
   * synchronous and without side effects.
   * @param asset the fields as they would be stored
   * @param status the state that the asset would have
   * @returns faults, each with its path from the asset's root; empty for a valid asset
   */
  check?(asset: Dto, status: string): FieldFault[];
}
