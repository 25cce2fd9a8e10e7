const STRING = /"(?:[^"\\]+|\\.)*"/g;

/**
 * Whether an object in it has two members of one name. JavaScript reads the last of them, and SQLite the first.
 * @param text sound JSON
 * @param value what was read of it
 */
export function namesTwice(text: string, value: unknown): boolean {
  return text.replaceAll(STRING, '').split(':').length - 1 !== membersOf(value);
}

/** Of all objects in it. */
function membersOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const members: unknown[] = Object.values(value);
  const own = Array.isArray(value) ? 0 : members.length;
  return members.reduce<number>((sum, member) => sum + membersOf(member), own);
}
