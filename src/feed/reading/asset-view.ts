import { crc32 } from 'node:zlib';
import type { ReadAsset } from '../../database/readers/asset-row.js';
import { type AnyText, enclosed, inner } from '../../platform/text/encoded-text.js';
import type { RegistryTime } from '../../platform/time/registry-time.js';

/** An asset as read or as written: their bodies have different types. */
export type AnyAsset<Body extends AnyText> = Omit<ReadAsset, 'body'> & { body: Body };

/**
 * The public JSON text of an asset: the same bytes for the same row. Everything around the body is ASCII.
 * Source: contract section 1.
 */
export function printAsset<Body extends AnyText>(asset: AnyAsset<Body>, time: RegistryTime): Body {
  const { id, assetId, assetType, status, body, owner, createdUs, modifiedUs, relatedLot } = asset;
  const date = time.print(createdUs);
  const dateModified = modifiedUs === createdUs ? date : time.print(modifiedUs);
  const lot = relatedLot === null ? '' : `,"relatedLot":"${relatedLot}"`;
  // None of them contains characters that JSON escapes.
  const start = `{"id":"${id}","assetID":"${assetId}","assetType":"${assetType}","status":"${status}",`;
  const end = `"owner":"${owner}","date":"${date}","dateModified":"${dateModified}"${lot}}`;
  return around(start, body, end);
}

/** Prints the asset of a dry run, which has no id, assetID and dates. */
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
 * the zone rules of the runtime. An erasure does not change the instant, so the tag includes a checksum of the erasures.
 */
export function entityTag(
  { createdUs, modifiedUs, body }: Pick<AnyAsset<AnyText>, 'createdUs' | 'modifiedUs' | 'body'>,
  time: RegistryTime,
): string {
  const offsets = `${time.offsetMinutes(createdUs).toString(36)}.${time.offsetMinutes(modifiedUs).toString(36)}`;
  const tag = `${modifiedUs.toString(36)}.${offsets}`;
  const redacted = redactedText(typeof body === 'string' ? body : body.toString('latin1'));
  if (redacted === '') return `"${tag}"`;
  // The same bytes, whether the body is decoded or not.
  const bytes = Buffer.from(redacted, typeof body === 'string' ? 'utf8' : 'latin1');
  return `"${tag}.${crc32(bytes).toString(36)}"`;
}

/** An item of an asset's member `redacted`: one erased field. Source: contract section 1. */
export interface Redacted {
  /** RFC 6901, into the asset as it was printed. */
  pointer: string;
  reason: string;
  /** When it was erased, as `dateModified` is printed. */
  at: string;
}

/** The start of the erasures in the JSON text of a body: always its last member. */
const MEMBER = '"redacted":';

/** Appends its erasures to the JSON text of a body. @param erased oldest first */
export function withRedacted(body: string, erased: readonly Redacted[] | undefined): string {
  if (erased === undefined || erased.length === 0) return body;
  return `${body.slice(0, -1)}${body === '{}' ? '' : ','}${MEMBER}${JSON.stringify(erased)}}`;
}

/** The erasures of a parsed body or printed asset, oldest first. */
export function redactedOf(asset: Readonly<Record<string, unknown>>): readonly Redacted[] {
  return (asset['redacted'] ?? []) as readonly Redacted[];
}

/** The part of a body's text that lists erasures; empty if there are none. @param body with a character for each byte, or decoded */
export function redactedText(body: string): string {
  // Cheap check that excludes nearly every body without erasures.
  if (!body.endsWith('"}]}')) return '';
  const start = body.lastIndexOf(MEMBER);
  return start < 0 ? '' : body.slice(start);
}

/** Whether both print as the same JSON apart from the order of members: -0 equals 0, and undefined members are ignored. */
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

/** The value of an own member; undefined for an inherited one. */
export function memberOf(object: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
