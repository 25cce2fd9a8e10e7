/** Binary search. @returns the first index from which all items satisfy the predicate; the length if none does */
export function partitionPoint<T>(items: readonly T[], isWanted: (item: T) => boolean): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isWanted(items[middle] as T)) high = middle;
    else low = middle + 1;
  }
  return low;
}
