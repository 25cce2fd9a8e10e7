import { crc32 } from 'node:zlib';
import type { ReadAsset } from '../database/asset-row.js';
import { type AnyText, mapText } from '../text/encoded-text.js';
import type { RegistryTime } from '../time/registry-time.js';
import { redactedText } from './redacted.js';

/** An asset that was read, or one that is written: their bodies differ. */
export type AnyAsset<Body extends AnyText> = Omit<ReadAsset, 'body'> & { body: Body };

/**
 * The JSON text of an asset as anyone may see it: the same bytes for the same row. What is around the body is ASCII.
 * Source: contract section 1.
 */
export function printAsset<Body extends AnyText>(asset: AnyAsset<Body>, time: RegistryTime): Body {
  const { id, assetId, assetType, status, body, owner, createdUs, modifiedUs, relatedLot } = asset;
  const date = time.print(createdUs);
  const dateModified = modifiedUs === createdUs ? date : time.print(modifiedUs);
  const lot = relatedLot === null ? '' : `,"relatedLot":"${relatedLot}"`;
  // None of them holds anything that JSON escapes.
  const start = `{"id":"${id}","assetID":"${assetId}","assetType":"${assetType}","status":"${status}",`;
  const end = `"owner":"${owner}","date":"${date}","dateModified":"${dateModified}"${lot}}`;
  return mapText(body, (fields) => around(start, fields, end));
}

/** The same of an asset that was not created: it has no id, no number and no date. */
export function printUncreated({
  assetType,
  status,
  body,
  owner,
}: Pick<AnyAsset<string>, 'assetType' | 'status' | 'body' | 'owner'>): string {
  return around(`{"assetType":"${assetType}","status":"${status}",`, body, `"owner":"${owner}"}`);
}

function around(start: string, fields: string, end: string): string {
  return fields === '{}' ? start + end : `${start}${fields.slice(1, -1)},${end}`;
}

/**
 * Strong: every change has an instant of its own. A past state of which something is erased keeps its instant, and is told apart by that.
 * @param asset without a body for its history
 */
export function entityTag({ modifiedUs, body }: Pick<ReadAsset, 'modifiedUs'> & { body?: AnyText }): string {
  const redacted = body === undefined ? '' : redactedText(typeof body === 'string' ? body : body.toChunk());
  if (redacted === '') return `"${modifiedUs.toString(36)}"`;
  // Of the same bytes, whether they are decoded or not.
  const bytes = Buffer.from(redacted, typeof body === 'string' ? 'utf8' : 'latin1');
  return `"${modifiedUs.toString(36)}-${crc32(bytes).toString(36)}"`;
}
