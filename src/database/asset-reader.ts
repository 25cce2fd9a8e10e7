import { Injectable } from '@nestjs/common';
import { TurnLimit } from '../event-loop/turns.js';
import { ASSETS, type ReadAsset, READ_ASSETS, type ReadRow, toReadAsset } from './asset-row.js';
import { Database } from './database.js';
import type { Dialect } from './dialects/dialect.js';
import type { Asset } from './entities/asset.entity.js';
import { BodySizes, readFitting, sizedSql, type SizedRow } from './fitting-rows.js';
import type { RowOf } from './entity-table.js';
import { Loader } from './loader.js';
import { padded, placesFor } from './session.js';

/** A second statement keeps a slow one from holding all others. An asset may have a megabyte. */
const LIMITS = { keys: 64, underWay: 2 };
const bytesOf = (found: Found | Asset): number => (found === LARGE ? 0 : found.body.length);

export interface FittingAssets {
  assets: ReadAsset[];
  /** How many of the ids were looked at, from the first on: `assets` has all of these that exist. */
  ofFirst: number;
}

/** In the place of an asset with a large body, which is read by itself. */
const LARGE = Symbol('LARGE');
type Found = ReadAsset | typeof LARGE;
/** How many of these are read at once. */
const MOST_LARGE_AT_ONCE = 4;
/** Whole rows of the first statement, whatever their size. */
const FIRST_ROWS = 8;

/** How single assets are named. */
interface Key {
  property: 'id' | 'assetId';
  column: string;
  /** Which of those that have it are meant. */
  condition: string;
}
const BY_ID: Key = { property: 'id', column: 'id', condition: '1 = 1' };
const LISTED: Key = { property: 'assetId', column: 'asset_id', condition: 'feed_us IS NOT NULL' };

/** Reads of single assets. */
@Injectable()
export class AssetReader {
  private readonly assets: Loader<string, Found>;
  private readonly listed: Loader<string, Found>;
  /** At first a few, and of a file beside the event loop: each may be large. */
  private readonly rows = new Loader<string, Asset>((ids) => this.fetchRows(ids), {
    ...LIMITS,
    first: FIRST_ROWS,
    bytesOf,
  });
  private readonly large: TurnLimit;

  constructor(private readonly database: Database) {
    this.large = new TurnLimit(MOST_LARGE_AT_ONCE, database.dialect);
    this.assets = this.loaderBy(BY_ID);
    this.listed = this.loaderBy(LISTED);
  }

  /** @param id 32 lower-case hex characters @throws ApiError 503 while the database is away */
  find(id: string): Promise<ReadAsset | undefined> {
    return this.whole(BY_ID, id, this.assets);
  }

  /** The whole row, as the ledger locks it. @param id 32 lower-case hex characters @throws ApiError 503 while the database is away */
  findRow(id: string): Promise<Asset | undefined> {
    return this.rows.load(id);
  }

  /** A listed asset by its assetID. @throws ApiError 503 while the database is away */
  findListed(assetId: string): Promise<ReadAsset | undefined> {
    return this.whole(LISTED, assetId, this.listed);
  }

  /** Whether there is any asset, drafts among them. @throws ApiError 503 while the database is away */
  async anyExists(): Promise<boolean> {
    return (await this.database.read('SELECT id FROM asset LIMIT 1')).length > 0;
  }

  /**
   * Several listed assets at once, in this order: as many of the first ones as fit together (fitting-rows.ts), and one in any case.
   * @throws ApiError 503 while the database is away
   */
  async findFitting(ids: readonly string[]): Promise<FittingAssets> {
    // Of these some may be gone: what is there is read again where it does not fit.
    let there = ids;
    const { dialect } = this.database;
    const { rows, limit } = await readFitting(
      dialect,
      ids.length,
      { sizes: new BodySizes(), place: '' },
      async (most, largest) => {
        const asked = there.slice(0, most);
        const read = await this.fetchSized(asked, largest);
        there = [...read.map(({ id }) => id), ...there.slice(most)];
        return { rows: read };
      },
    );
    const last = rows.at(-1);
    const isCut = limit < ids.length && last !== undefined;
    return { assets: rows.map(toReadAsset), ofFirst: isCut ? ids.indexOf(last.id) + 1 : ids.length };
  }

  private async fetchSized(ids: readonly string[], largest: number): Promise<SizedRow[]> {
    const values = padded(ids);
    const sql = `SELECT ${sizedSql(this.database.dialect, 'ids')} FROM asset WHERE id IN (${placesFor(values)})`;
    const rows = await this.database.read<SizedRow>(sql, [largest, largest, largest, ...values], largest);
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  private loaderBy(key: Key): Loader<string, Found> {
    const sqlOf = smallSql(key, this.database.dialect);
    return new Loader((values: readonly string[]) => this.fetch(key, sqlOf, values), { ...LIMITS, bytesOf });
  }

  /** A small one never waits for large ones: these are read one by one. */
  private async whole(key: Key, value: string, small: Loader<string, Found>): Promise<ReadAsset | undefined> {
    const found = await small.load(value);
    return found === LARGE ? this.large.run(() => this.findLarge(key, value)) : found;
  }

  private async fetch({ property }: Key, sqlOf: SqlOf, keys: readonly string[]): Promise<Map<string, Found>> {
    const values = padded(keys);
    const rows = await this.database.read<ReadRow>(sqlOf(placesFor(values)), values);
    return new Map(rows.map((row) => [row[property], row.body === null ? LARGE : toReadAsset(row)]));
  }

  private async findLarge({ column, condition }: Key, value: string): Promise<ReadAsset | undefined> {
    const { dialect } = this.database;
    const columns = READ_ASSETS.select((name) => (name === 'body' ? dialect.bytesSql(name) : name));
    const sql = `SELECT ${columns} FROM asset WHERE ${column} = ? AND ${condition}`;
    const [row] = await this.database.read<ReadRow>(sql, [value], Infinity);
    return row && toReadAsset(row);
  }

  private async fetchRows(ids: readonly string[]): Promise<Map<string, Asset>> {
    const values = padded(ids);
    const sql = `SELECT ${ASSETS.select()} FROM asset WHERE id IN (${placesFor(values)})`;
    const rows = await this.database.read<RowOf<Asset>>(sql, values, Infinity);
    return new Map(rows.map((row) => [row.id, ASSETS.toEntity(row)]));
  }
}

type SqlOf = (places: string) => string;

/** Of a large asset nothing is read that stands behind its body. */
function smallSql({ column, condition }: Key, dialect: Dialect): SqlOf {
  const { largeBytes } = dialect;
  const unlessLarge = (sql: string, otherwise = 'NULL'): string =>
    largeBytes === Infinity ? sql : `CASE WHEN OCTET_LENGTH(body) <= ${largeBytes} THEN ${sql} ELSE ${otherwise} END`;
  const special: Record<string, string> = {
    body: unlessLarge(dialect.bytesSql('body')),
    created_us: unlessLarge('created_us'),
    modified_us: unlessLarge('modified_us'),
  };
  const read = READ_ASSETS.select((name) => special[name] ?? name);
  const isMeant = unlessLarge(condition, '1');
  return (places) => `SELECT ${read} FROM asset WHERE ${column} IN (${places}) AND ${isMeant}`;
}
