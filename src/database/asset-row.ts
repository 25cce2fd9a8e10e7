import { EncodedText } from '../text/encoded-text.js';
import { Asset } from './entities/asset.entity.js';
import { EntityTable, type RowOf } from './entity-table.js';
import { padded, placesFor, type Session } from './session.js';

export const ASSETS = EntityTable.of(Asset);
const ASSET = ASSETS.select();

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

/** Whole rows, by their ids. @param lockSql how they are locked, if they are: one after the other, in the order of their ids */
export async function readAssets(
  session: Session,
  ids: readonly string[],
  lockSql: string,
): Promise<Map<string, Asset>> {
  const values = padded(ids);
  const sql = `SELECT ${ASSET} FROM asset WHERE id IN (${placesFor(values)}) ORDER BY id ${lockSql}`;
  const rows = await session.query<RowOf<Asset>>(sql, values);
  return new Map(rows.map((row) => [row.id, ASSETS.toEntity(row)]));
}

/** Which of `ids` there are. @param lockSql how their rows are locked, if they are */
export async function findAssets(session: Session, ids: readonly string[], lockSql = ''): Promise<string[]> {
  const values = padded(ids);
  const sql = `SELECT id FROM asset WHERE id IN (${placesFor(values)}) ${lockSql}`;
  const rows = await session.query<{ id: string }>(sql, values);
  return rows.map(({ id }) => id);
}
