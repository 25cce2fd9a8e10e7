import { hash, randomUUID } from 'node:crypto';

/** 32 lower-case hex characters: a UUID version 4 without hyphens. */
export function newId(): string {
  return randomUUID().replaceAll('-', '');
}

/** The ids of a new asset's items, in their order: always the same for the same asset, as an answer may have to be given again. */
export function itemIdsOf(assetId: string): () => string {
  let number = 0;
  return () => hash('sha256', `${assetId}/${++number}`).slice(0, 32);
}

/** What an asset's id looks like. */
export const ID = /^[0-9a-f]{32}$/;

/** What a relatedLot looks like. */
export const LOT_ID = /^[0-9a-f]{24,32}$/;

/** The digits of the number in an assetID, with zeros before them. */
export const ASSET_NUMBER_DIGITS = 6;

/**
 * `UA-2017-08-16-000001`; past 999999 it widens.
 * @param day local day, `2017-08-16` @param number from 1
 */
export function formatAssetId(prefix: string, day: string, number: number): string {
  return `${prefix}-${day}-${String(number).padStart(ASSET_NUMBER_DIGITS, '0')}`;
}

/** What an assetID looks like: this registry's prefix, or one that was brought in, perhaps with the suffix of a server (`UA-2017-08-16-000001-1`). */
export const ASSET_ID = /^(?=.{1,40}$)[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*-\d{4}-\d{2}-\d{2}-\d{6,}(?:-[A-Za-z0-9]+)?$/;

/** Finds the id of an asset by its assetID. */
interface AssetIds {
  findIdOf(assetId: string): Promise<string | undefined>;
}

/** @param sent an asset's id, returned as it is, or its assetID @throws Error where no asset has that assetID */
export async function getIdOfAsset(sent: string, assets: AssetIds): Promise<string> {
  const id = ID.test(sent) ? sent : await assets.findIdOf(sent);
  if (id === undefined) throw new Error(`There is no asset ${sent}`);
  return id;
}
