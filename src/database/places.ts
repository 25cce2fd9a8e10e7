/** The places of bound values in a statement: `?, ?, ?`. */
export function placesFor(values: readonly unknown[]): string {
  return values.map(() => '?').join(', ');
}

/**
 * The values of an `IN (…)`, the last one repeated until there are 1, 2, 4, 8 … of them: a connection keeps each text of a statement
 * prepared, so there must be few.
 * @param values at least one
 */
export function padded<T>(values: readonly T[]): T[] {
  const size = 2 ** Math.ceil(Math.log2(values.length));
  return [...values, ...Array.from({ length: size - values.length }, () => values.at(-1) as T)];
}
