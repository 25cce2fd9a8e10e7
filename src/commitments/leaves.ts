/** A value of a JSON text that has no members or items: its pointer (RFC 6901) and its own JSON text (RFC 8785). */
export interface Leaf {
  pointer: string;
  json: string;
}

/** What an entry of the log says itself, and what tells that something was erased: the commitment binds none of them. */
const NOT_COMMITTED: ReadonlySet<string> = new Set(['date', 'dateModified', 'redacted']);

/** The leaves of a printed asset that its commitment binds, in its order. */
export function committedLeaves(asset: Readonly<Record<string, unknown>>): Leaf[] {
  const leaves: Leaf[] = [];
  for (const [name, value] of Object.entries(asset)) {
    if (!NOT_COMMITTED.has(name)) collect(value, `/${escaped(name)}`, leaves);
  }
  return leaves;
}

/** The parts of a pointer, without its escapes. */
export function pointerParts(pointer: string): string[] {
  const parts = pointer.split('/').slice(1);
  return parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Whether a leaf is what one of some pointers names, or a part of it. */
export function isWithinAny(leaf: string, pointers: ReadonlySet<string>): boolean {
  for (let end = leaf.length; end > 0; end = leaf.lastIndexOf('/', end - 1))
    if (pointers.has(leaf.slice(0, end))) return true;
  return false;
}

function collect(value: unknown, pointer: string, leaves: Leaf[]): void {
  const members = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  if (members.length === 0) leaves.push({ pointer, json: JSON.stringify(value) });
  for (const [name, member] of members) collect(member, `${pointer}/${escaped(name)}`, leaves);
}

/** A name as a part of a pointer. */
export function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
