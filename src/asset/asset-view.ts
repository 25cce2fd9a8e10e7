import type { ReadAsset } from '../database/asset-row.js';
import type { RegistryTime } from '../time/registry-time.js';

/**
 * The JSON text of an asset as anyone may see it: the same bytes for the same row. It is in the encoding of the asset's body; all the
 * rest is ASCII. Source: contract section 1.
 */
export function printAsset(asset: ReadAsset, time: RegistryTime): string {
  const { id, assetId, assetType, status, body, owner, createdUs, modifiedUs, relatedLot } = asset;
  const fields = body === '{}' ? '' : `${body.slice(1, -1)},`;
  const date = time.print(createdUs);
  const dateModified = modifiedUs === createdUs ? date : time.print(modifiedUs);
  const lot = relatedLot === null ? '' : `,"relatedLot":"${relatedLot}"`;
  // None of them holds anything that JSON escapes.
  return (
    `{"id":"${id}","assetID":"${assetId}","assetType":"${assetType}","status":"${status}",` +
    `${fields}"owner":"${owner}","date":"${date}","dateModified":"${dateModified}"${lot}}`
  );
}

/** Strong: every change has an instant of its own. */
export function entityTag(asset: Pick<ReadAsset, 'modifiedUs'>): string {
  return `"${asset.modifiedUs.toString(36)}"`;
}
