/** Cuts a text without splitting a surrogate pair. @param max UTF-16 units */
export function truncate(text: string, max: number): string {
  return text.length <= max ? text : text.slice(0, max).replace(/[\ud800-\udbff]$/, '');
}
