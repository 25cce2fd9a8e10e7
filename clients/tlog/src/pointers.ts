/** The names in a pointer (RFC 6901), without its escapes; none of the empty pointer. */
export function pointerParts(pointer: string): string[] {
  const parts = pointer.split('/').slice(1);
  return parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** A name as a part of a pointer: `~` and `/` are escaped (RFC 6901). */
export function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Pointers, with those of all that they are parts of. */
export function withParents(pointers: Iterable<string>): Set<string> {
  const all = new Set<string>();
  for (const pointer of pointers)
    for (let end = pointer.length; end > 0; end = pointer.lastIndexOf('/', end - 1)) all.add(pointer.slice(0, end));
  return all;
}

/** The names of members, by the pointers of what they are members of. */
export function namesByParent(pointers: Iterable<string>): Map<string, string[]> {
  const names = new Map<string, string[]>();
  for (const pointer of pointers) {
    const parent = pointer.slice(0, pointer.lastIndexOf('/'));
    names.set(parent, [...(names.get(parent) ?? []), pointerParts(pointer).at(-1) as string]);
  }
  return names;
}
