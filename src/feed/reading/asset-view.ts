import { crc32 } from 'node:zlib';
import type { ReadAsset } from '../../database/readers/asset-row.js';
import { type AnyText, enclosed, inner } from '../../platform/text/encoded-text.js';
import type { RegistryTime } from '../../platform/time/registry-time.js';

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
  return around(start, body, end);
}

/** Prints an asset that was tried and not created: without an id, an assetID and dates. */
export function printUncreated<Body extends AnyText>({
  assetType,
  status,
  body,
  owner,
}: Pick<AnyAsset<Body>, 'assetType' | 'status' | 'body' | 'owner'>): Body {
  return around(`{"assetType":"${assetType}","status":"${status}",`, body, `"owner":"${owner}"}`);
}

/** @param body with its braces */
function around<Body extends AnyText>(start: string, body: Body, end: string): Body {
  return enclosed(start, inner(body), body.length === 2 ? end : `,${end}`);
}

/**
 * The strong ETag of a printed asset: the instant of its last change and the UTC offsets of its two dates, which depend on TIME_ZONE and on
 * the zone rules of the runtime. A state of which something was erased keeps its instant, so the tag has a checksum of the erasures.
 */
export function entityTag(
  { createdUs, modifiedUs, body }: Pick<AnyAsset<AnyText>, 'createdUs' | 'modifiedUs' | 'body'>,
  time: RegistryTime,
): string {
  const offsets = `${time.offsetMinutes(createdUs).toString(36)}.${time.offsetMinutes(modifiedUs).toString(36)}`;
  const tag = `${modifiedUs.toString(36)}.${offsets}`;
  const redacted = redactedText(typeof body === 'string' ? body : body.toString('latin1'));
  if (redacted === '') return `"${tag}"`;
  // Of the same bytes, whether they are decoded or not.
  const bytes = Buffer.from(redacted, typeof body === 'string' ? 'utf8' : 'latin1');
  return `"${tag}.${crc32(bytes).toString(36)}"`;
}

/** What tells that a field was erased: the member `redacted` of an asset is a list of them. Source: contract section 1. */
export interface Redacted {
  /** RFC 6901, into the asset as it was printed. */
  pointer: string;
  reason: string;
  /** When it was erased, as `dateModified` is printed. */
  at: string;
}

/** What tells of erasures in the JSON text of a body: always its last member. */
const MEMBER = '"redacted":';

/** The JSON text of a body, with what was erased of it. @param erased in the order of time */
export function withRedacted(body: string, erased: readonly Redacted[] | undefined): string {
  if (erased === undefined || erased.length === 0) return body;
  return `${body.slice(0, -1)}${body === '{}' ? '' : ','}${MEMBER}${JSON.stringify(erased)}}`;
}

/** What was erased of a parsed body or printed asset, in the order of time. */
export function redactedOf(asset: Readonly<Record<string, unknown>>): readonly Redacted[] {
  return (asset['redacted'] ?? []) as readonly Redacted[];
}

/** The part of a body's text that tells of erasures; empty where there are none. @param body with a character for each byte, or decoded */
export function redactedText(body: string): string {
  // Nearly every body is told from others by its end alone.
  if (!body.endsWith('"}]}')) return '';
  const place = body.lastIndexOf(MEMBER);
  return place < 0 ? '' : body.slice(place);
}

/** Whether both are printed as the same JSON, but for the order of members: -0 is 0 then, and what is undefined is left out. */
export function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((value, i) => isSame(value, other[i]));
  if (!isObject(one) || !isObject(other)) return false;
  return (
    Object.keys(one).every((name) => isSame(one[name], memberOf(other, name))) &&
    Object.keys(other).every((name) => Object.hasOwn(one, name) || other[name] === undefined)
  );
}

/** What every object inherits is no member. */
export function memberOf(object: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
