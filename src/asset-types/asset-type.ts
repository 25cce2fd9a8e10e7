import type { DtoClass } from './fields.js';
import type { Labels } from './labels.js';
import type { Lifecycle } from './lifecycle.js';
import type { FieldFault } from './fields-json.js';

/** A complete body of POST, which ignores the other member. */
export interface AssetExample {
  data: Record<string, unknown>;
  /** What a PATCH to a state holds beside `status` and `relatedLot`, by that state: where `check` would refuse the move without it. */
  moves?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** What a team brings to install a kind of asset. Everything else (validation, storage, listing, OpenAPI, pages, tests) follows from it. */
export interface AssetType<Dto extends object = object> {
  /** The value of `assetType`: a letter, then letters and digits. */
  name: string;
  /** Names that it had before. A POST may still use them, and assets that were stored under them are found; new ones get `name`. */
  aliases?: readonly string[];
  labels: Labels;
  /** The fields that the broker sets, described with the decorators of fields.ts. */
  dto: DtoClass<Dto>;
  /** What the docs show and the tests of every installed type use. */
  example: AssetExample;
  /** States and moves, where they differ from the standard ones. */
  lifecycle?: Lifecycle;
  /**
   * What is wrong with fields that are sound one by one. Asked under lock, so it looks at nothing else and waits for nothing;
   * asked in a dry run as well, so it leaves nothing behind.
   * @param asset the fields as they would be kept
   * @param status the state that the asset would be in
   * @returns a fault for each, with its path from the asset's root; none for a sound asset
   */
  check?(asset: Dto, status: string): FieldFault[];
}
