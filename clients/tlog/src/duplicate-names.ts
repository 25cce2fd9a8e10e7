const [QUOTE, COLON, BACKSLASH] = ['"', ':', '\\'].map((one) => one.charCodeAt(0));

/**
 * Whether an object in a JSON text has two members of one name. JavaScript reads the last of them, other parsers the first.
 * @param text valid JSON, decoded or with a character for each byte
 * @param value the parsed text
 */
export function hasDuplicateName(text: string, value: unknown): boolean {
  return membersWritten(text) !== membersOf(value);
}

/** Counts the members of all objects in a JSON text: the colons outside of its strings. */
function membersWritten(text: string): number {
  let count = 0;
  let isInString = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) isInString = !isInString;
    else if (!isInString) count += code === COLON ? 1 : 0;
    else if (code === BACKSLASH) i++;
  }
  return count;
}

/** Counts the members of all objects in a value, without recursion. */
function membersOf(value: unknown): number {
  const left = [value];
  let count = 0;
  while (left.length > 0) {
    const one = left.pop();
    if (typeof one !== 'object' || one === null) continue;
    const members = Object.values(one) as unknown[];
    if (!Array.isArray(one)) count += members.length;
    for (const member of members) if (typeof member === 'object') left.push(member);
  }
  return count;
}
