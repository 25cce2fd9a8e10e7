import { randomUUID } from 'node:crypto';

/** 32 lower-case hex characters: a UUID version 4 without hyphens. */
export function newId(): string {
  return randomUUID().replaceAll('-', '');
}

/** What an asset's id and a relatedLot look like. */
export const ID = /^[0-9a-f]{32}$/;

/**
 * `UA-2017-08-16-000001`; past 999999 it widens.
 * @param day local day, `2017-08-16` @param number from 1
 */
export function formatAssetId(prefix: string, day: string, number: number): string {
  return `${prefix}-${day}-${String(number).padStart(6, '0')}`;
}
