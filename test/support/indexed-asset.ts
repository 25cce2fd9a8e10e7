import type { IndexedAsset } from '../../src/database/search/indexed-asset.js';

/** An asset as input of the search index. @param number its id @param us its modification time */
export function indexedAsset(number: number, terms = 'w:all', us = number): IndexedAsset {
  return {
    id: idOf(number),
    modifiedUs: us,
    createdDay: '2026-11-21',
    changedDay: '2026-11-22',
    status: 'pending',
    assetType: 'basic',
    regions: [{ key: 'київ', name: 'Київ' }],
    value: undefined,
    terms,
    erasedUs: 0,
  };
}

/** The id as stored in the index. */
export function idOf(number: number): string {
  return number.toString(16).padStart(32, '0');
}
