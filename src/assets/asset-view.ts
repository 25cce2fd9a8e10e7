import type { Asset } from '../database/entities/asset.entity.js';
import type { RegistryTime } from '../time/registry-time.js';

/** The JSON text of an asset as anyone may see it: the same bytes for the same row. Source: contract section 1. */
export function printAsset(asset: Asset, time: RegistryTime): string {
  const { id, assetId, assetType, status, body, owner, createdUs, modifiedUs, relatedLot } = asset;
  const fields = body === '{}' ? '' : `${body.slice(1, -1)},`;
  const date = time.print(createdUs);
  const dateModified = modifiedUs === createdUs ? date : time.print(modifiedUs);
  const lot = relatedLot === null ? '' : `,"relatedLot":"${relatedLot}"`;
  // Ids, dates and the names of types hold nothing that JSON escapes; the names of accounts and states are not ours to know.
  return (
    `{"id":"${id}","assetID":"${assetId}","assetType":"${assetType}","status":${JSON.stringify(status)},` +
    `${fields}"owner":${JSON.stringify(owner)},"date":"${date}","dateModified":"${dateModified}"${lot}}`
  );
}

/** Strong: every change has an instant of its own. */
export function entityTag(asset: Asset): string {
  return `"${asset.modifiedUs.toString(36)}"`;
}
