import type { ApiError } from '../platform/errors/api-error.js';
import { assetNotFound } from '../platform/errors/errors.js';
import { ASSET_ID, ID } from '../feed/asset-identifiers.js';

/** 404 for what stands in a path where an id is due, with a word to who has taken something else for one. */
export function assetNotFoundAt(sent: string): ApiError {
  if (ID.test(sent)) return assetNotFound();
  return assetNotFound(
    ASSET_ID.test(sent)
      ? 'it is an assetID, by which a published asset is read; everything else takes its id'
      : 'an id is 32 lower-case hex characters',
  );
}
