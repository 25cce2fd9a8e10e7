import { fieldsInvalid } from '../errors/errors.js';

/**
 * As much as a body of POST may bring unless BODY_LIMIT says otherwise. A list grows with every PATCH: without a bound an asset would
 * outgrow the database's statements and every page that it is on.
 */
export const MOST_BYTES = 1024 * 1024;

/**
 * @param body the JSON text of an asset's own fields
 * @returns the same
 * @throws ApiError 422 for one of more than 1 MiB in UTF-8
 */
export function checkSize(body: string): string {
  // No unit of a string takes more than three bytes, so most texts need no count.
  if (body.length * 3 > MOST_BYTES && Buffer.byteLength(body) > MOST_BYTES)
    throw fieldsInvalid([{ name: 'data', description: 'The fields of an asset take at most 1 MiB' }]);
  return body;
}
