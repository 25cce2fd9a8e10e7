/** The unescaped names in a pointer (RFC 6901); empty for the empty pointer. */
export function pointerParts(pointer: string): string[] {
  const parts = pointer.split('/').slice(1);
  return parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Escapes `~` and `/` in a name, for a pointer (RFC 6901). */
export function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Pointers, with those of all their parents. */
export function withParents(pointers: Iterable<string>): Set<string> {
  const all = new Set<string>();
  for (const pointer of pointers)
    for (let end = pointer.length; end > 0; end = pointer.lastIndexOf('/', end - 1)) all.add(pointer.slice(0, end));
  return all;
}

/** The last names of pointers, by the pointers of their parents. */
export function namesByParent(pointers: Iterable<string>): Map<string, string[]> {
  const names = new Map<string, string[]>();
  for (const pointer of pointers) {
    const parent = pointer.slice(0, pointer.lastIndexOf('/'));
    names.set(parent, [...(names.get(parent) ?? []), pointerParts(pointer).at(-1) as string]);
  }
  return names;
}
