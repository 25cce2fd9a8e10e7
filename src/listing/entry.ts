import { printAsset } from '../asset/asset-view.js';
import type { FeedEntry } from '../database/feed-reader.js';
import { membersOf } from '../http/json-text.js';
import type { AnyText } from '../text/encoded-text.js';
import type { RegistryTime } from '../time/registry-time.js';

/** The fields that every entry has. */
const GIVEN_FIELDS = new Set(['id', 'dateModified']);

/** Whether entries with these fields are made of whole assets. */
export function needsAssets(fields: readonly string[] | '*'): boolean {
  return fields.length > 0;
}

/** @param fields of the asset to add, where there is one; `*` for the whole asset */
export function printEntry(
  { id, modifiedUs, asset }: FeedEntry,
  fields: readonly string[] | '*',
  time: RegistryTime,
): AnyText {
  if (asset !== undefined && fields === '*') return printAsset(asset, time);
  const entry = `{"id":"${id}","dateModified":"${time.print(modifiedUs)}"`;
  if (asset === undefined) return `${entry}}`;
  return printAsset(asset, time).map((text) => {
    const members = membersOf(text);
    const added = [...new Set(fields)].filter((name) => members.has(name) && !GIVEN_FIELDS.has(name));
    return `${entry}${added.map((name) => `,${JSON.stringify(name)}:${members.get(name)}`).join('')}}`;
  });
}
