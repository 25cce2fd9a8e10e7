/** Whether an If-None-Match header names `etag`: a list or `*`, compared weakly (RFC 9110, 13.1.2). */
export function isNoneMatch(header: string | undefined, etag: string): boolean {
  return listed(header).some((tag) => tag === '*' || tag.replace(/^W\//, '') === etag);
}

/** Whether an If-Match header lets a change of `etag` through: absent, `*`, or a list with it, compared strongly. */
export function isMatch(header: string | undefined, etag: string): boolean {
  if (header === undefined) return true;
  return listed(header).some((tag) => tag === '*' || tag === etag);
}

function listed(header: string | undefined): string[] {
  return header?.match(/\*|(?:W\/)?"[^"]*"/g) ?? [];
}
