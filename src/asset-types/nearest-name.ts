/** Longer than any field name; a hostile name may have a million characters. */
const MAX_NAME_LENGTH = 64;
/** Maximum edits as a share of the length. */
const TOLERANCE = 0.4;

/** Returns the known name that `name` is probably a misspelling of, ignoring case; undefined if none is near enough. */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  if (name.length > MAX_NAME_LENGTH) return undefined;
  let nearest: string | undefined;
  let fewest = Infinity;
  for (const candidate of known) {
    const maxEdits = Math.floor(Math.max(name.length, candidate.length) * TOLERANCE);
    if (Math.abs(name.length - candidate.length) > maxEdits) continue;
    const edits = editsBetween(name.toLowerCase(), candidate.toLowerCase());
    if (edits <= maxEdits && edits < fewest) [nearest, fewest] = [candidate, edits];
  }
  return nearest;
}

/** Edit distance with insertions, deletions, replacements and swaps of neighbours. */
export function editsBetween(one: string, other: string): number {
  const rows = [Array.from({ length: other.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Infinity;
  for (let row = 1; row <= one.length; row++) {
    const edits = [row];
    rows.push(edits);
    for (let column = 1; column <= other.length; column++) {
      const [a, b] = [one[row - 1], other[column - 1]];
      const swapped = a === other[column - 2] && b === one[row - 2] ? at(row - 2, column - 2) + 1 : Infinity;
      const replaced = at(row - 1, column - 1) + (a === b ? 0 : 1);
      edits.push(Math.min(swapped, replaced, at(row - 1, column) + 1, at(row, column - 1) + 1));
    }
  }
  return at(one.length, other.length);
}
