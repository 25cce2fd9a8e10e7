import { EncodedText } from '../../platform/text/encoded-text.js';
import { Asset } from '../entities/asset.entity.js';
import { EntityTable, type RowOf } from '../entities/entity-table.js';

export const ASSETS = EntityTable.of(Asset);

/** What is answered of an asset. */
export const READ_ASSETS = ASSETS.without('tokenDigest', 'version', 'feedUs');
type Columns = ReturnType<typeof READ_ASSETS.toEntity>;
export type ReadAsset = Omit<Columns, 'body'> & { body: EncodedText };

/** The body is asked for as bytes, and goes out as it is. */
export type ReadRow = Omit<RowOf<Columns>, 'body'> & { body: Buffer };

export function toReadAsset(row: ReadRow): ReadAsset {
  const asset = READ_ASSETS.toEntity(row);
  return Object.assign(asset, { body: EncodedText.from(row.body) });
}
