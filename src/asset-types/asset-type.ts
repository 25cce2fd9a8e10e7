import type { DtoClass } from './fields.js';
import type { Lifecycle } from './lifecycle.js';

/** What a team brings to install a kind of asset. Everything else (validation, storage, listing, tests) follows from it. */
export interface AssetType {
  /** The value of `assetType`: a letter, then letters and digits. */
  name: string;
  /** The fields that the broker sets, described with the decorators of fields.ts. */
  dto: DtoClass;
  /** A complete body of POST; used by the docs and by the tests of every installed type. */
  example: { data: Record<string, unknown> };
  /** States and moves, where they differ from the standard ones. */
  lifecycle?: Lifecycle;
}
