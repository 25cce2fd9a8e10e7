/** A text as far as it may go. Half of a surrogate pair is no character. @param most UTF-16 units */
export function truncate(text: string, most: number): string {
  return text.length <= most ? text : text.slice(0, most).replace(/[\ud800-\udbff]$/, '');
}
