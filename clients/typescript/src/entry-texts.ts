const [QUOTE, BACKSLASH, OPEN_OBJECT, OPEN_LIST, CLOSE_OBJECT, CLOSE_LIST] = Array.from('"\\{[}]', (sign) => sign.charCodeAt(0)) as [number, number, number, number, number, number]; // prettier-ignore
/** Nesting: the page, and the list in it. */
const DEPTH_OF_ENTRIES = 2;

/**
 * Extracts the JSON text of each entry of a page. Links are objects in the page, and its only list contains the entries.
 * @param page valid JSON
 */
export function entryTexts(page: string): string[] {
  const texts: string[] = [];
  let depth = 0;
  let begin = -1;
  let isList = false;
  for (let i = 0; i < page.length; i++) {
    const sign = page.charCodeAt(i);
    if (sign === QUOTE) {
      i = endOfString(page, i);
    } else if (sign === OPEN_OBJECT || sign === OPEN_LIST) {
      if (depth === 1) isList = sign === OPEN_LIST;
      if (depth === DEPTH_OF_ENTRIES && isList) begin = i;
      depth++;
    } else if (sign === CLOSE_OBJECT || sign === CLOSE_LIST) {
      depth--;
      if (depth === DEPTH_OF_ENTRIES && isList) texts.push(page.slice(begin, i + 1));
    }
  }
  return texts;
}

/** @param begin index of the opening quote @returns index of the closing one */
function endOfString(text: string, begin: number): number {
  let end = text.indexOf('"', begin + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

/** Whether an odd number of backslashes precedes it. */
function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text.charCodeAt(first - 1) === BACKSLASH) first--;
  return (at - first) % 2 === 1;
}
