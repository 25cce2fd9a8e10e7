import { EncodedText } from '../../platform/text/encoded-text.js';
import { Asset } from '../entities/asset.entity.js';
import { EntityTable, type RowOf } from '../entities/entity-table.js';

export const ASSETS = EntityTable.of(Asset);

/** The columns of an asset that are answered. */
export const READ_ASSETS = ASSETS.without('tokenDigest', 'version', 'feedUs');
type Columns = ReturnType<typeof READ_ASSETS.toEntity>;
export type ReadAsset = Omit<Columns, 'body'> & { body: EncodedText };

/** With the body as bytes, which are sent unchanged. */
export type ReadRow = Omit<RowOf<Columns>, 'body'> & { body: Buffer };

export function toReadAsset(row: ReadRow): ReadAsset {
  const asset = READ_ASSETS.toEntity(row);
  return Object.assign(asset, { body: EncodedText.from(row.body) });
}
