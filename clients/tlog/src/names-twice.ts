const [QUOTE, COLON, BACKSLASH] = ['"', ':', '\\'].map((one) => one.charCodeAt(0));

/**
 * Whether an object in a JSON text has two members of one name. JavaScript reads the last of them, and other readers the first.
 * @param text sound JSON, decoded or with a character for each byte
 * @param value what was parsed of it
 */
export function hasNameTwice(text: string, value: unknown): boolean {
  return membersWritten(text) !== membersOf(value);
}

/** How many members the objects in a JSON text have: as many as there are colons outside of its strings. */
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

/** The same of a value, however deep it is. */
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
