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
