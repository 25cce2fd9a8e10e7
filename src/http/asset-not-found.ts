import type { ApiError } from '../platform/errors/api-error.js';
import { assetNotFound } from '../platform/errors/errors.js';
import { ASSET_ID, ID } from '../feed/asset-identifiers.js';

/** 404 for the id in a path, with a hint if it is not an id at all. */
export function assetNotFoundAt(sent: string): ApiError {
  if (ID.test(sent)) return assetNotFound();
  return assetNotFound(
    ASSET_ID.test(sent)
      ? 'it is an assetID, by which a published asset is read; everything else takes its id'
      : 'an id is 32 lower-case hex characters',
  );
}
