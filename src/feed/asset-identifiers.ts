import { hash, randomUUID } from 'node:crypto';

/** 32 lower-case hex characters: a UUID version 4 without hyphens. */
export function newId(): string {
  return randomUUID().replaceAll('-', '');
}

/** Generates the ids of a new asset's items. They are derived from the asset's id, so a repeated answer has the same ones. */
export function itemIdsOf(assetId: string): () => string {
  let number = 0;
  return () => hash('sha256', `${assetId}/${++number}`).slice(0, 32);
}

/** An asset's id. */
export const ID = /^[0-9a-f]{32}$/;

/** A `relatedLot`. */
export const LOT_ID = /^[0-9a-f]{24,32}$/;

/** Minimum digits of the number in an assetID; shorter numbers are padded with zeros. */
export const ASSET_NUMBER_DIGITS = 6;

/**
 * `UA-2017-08-16-000001`; past 999999 it widens.
 * @param day local day, `2017-08-16` @param number from 1
 */
export function formatAssetId(prefix: string, day: string, number: number): string {
  return `${prefix}-${day}-${String(number).padStart(ASSET_NUMBER_DIGITS, '0')}`;
}

/**
 * An assetID: with this registry's prefix or that of an imported asset, optionally with a server's suffix (`UA-2017-08-16-000001-1`). Its number has
 * at most nine digits, so that the day's next numbers fit in a column of 32 bits.
 */
export const ASSET_ID = /^(?=.{1,40}$)[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*-\d{4}-\d{2}-\d{2}-\d{6,9}(?:-[A-Za-z0-9]+)?$/;

const PREFIX_NUMBER_SUFFIX = /^(.+)(-\d{4}-\d{2}-\d{2}-\d{6,9})(.*)$/;

/**
 * Returns how an assetID may be stored that people write in capitals or small letters, first as sent. Prefix and suffix may differ:
 * `UA-2017-08-16-000001-b`.
 * @param ownPrefix the registry's, which may have letters of both kinds
 */
export function spellingsOf(assetId: string, ownPrefix: string): string[] {
  if (!ASSET_ID.test(assetId)) return [];
  const [, prefix = '', number = '', suffix = ''] = PREFIX_NUMBER_SUFFIX.exec(assetId) ?? [];
  const isOwn = prefix.toLowerCase() === ownPrefix.toLowerCase();
  const prefixes = isOwn ? [...inEachCase(prefix), ownPrefix] : inEachCase(prefix);
  return [...new Set(prefixes.flatMap((one) => inEachCase(suffix).map((end) => one + number + end)))];
}

function inEachCase(text: string): string[] {
  return [text, text.toUpperCase(), text.toLowerCase()];
}

/** Finds the id of an asset by its assetID. */
interface AssetIds {
  findIdOf(assetId: string): Promise<string | undefined>;
}

/** @param sent an asset's id, which is returned unchanged, or its assetID @throws Error if no asset has that assetID */
export async function getIdOfAsset(sent: string, assets: AssetIds): Promise<string> {
  const id = ID.test(sent) ? sent : await assets.findIdOf(sent);
  if (id === undefined) throw new Error(`There is no asset ${sent}`);
  return id;
}
