import type { Asset } from '../database/entities/asset.entity.js';
import type { RegistryTime } from '../time/registry-time.js';

/** The JSON text of an asset as anyone may see it: the same bytes for the same row. Source: contract section 1. */
export function printAsset(asset: Asset, time: RegistryTime): string {
  const fields = asset.body.slice(1, -1);
  const members = [
    member('id', asset.id),
    member('assetID', asset.assetId),
    member('assetType', asset.assetType),
    member('status', asset.status),
    ...(fields === '' ? [] : [fields]),
    member('owner', asset.owner),
    member('date', time.print(asset.createdUs)),
    member('dateModified', time.print(asset.modifiedUs)),
    ...(asset.relatedLot === null ? [] : [member('relatedLot', asset.relatedLot)]),
  ];
  return `{${members.join(',')}}`;
}

function member(name: string, value: string): string {
  return `"${name}":${JSON.stringify(value)}`;
}

/** Strong: every change has an instant of its own. */
export function entityTag(asset: Asset): string {
  return `"${asset.modifiedUs.toString(36)}"`;
}
