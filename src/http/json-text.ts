/*
 * JSON as text. JavaScript's own parser forgets how a number was written, takes the last of two equal keys and any depth;
 * the registry must know these. A number is kept exactly or refused, so its text is looked at before it becomes a double.
 */

/** What a linear scan finds in a JSON text. On text that is no JSON it finds something too: parse it afterwards to know. */
export interface JsonFindings {
  /** Deepest nesting; the outermost object is 1. Counting stops beyond the limit that was asked for. */
  depth: number;
  repeatsKey: boolean;
  /** Paths of the numbers that a double, or the registry's decimal rule, would not keep exactly. */
  inexactNumbers: (string | number)[][];
}

interface Frame {
  /** Undefined in an array. */
  keys: Set<string> | undefined;
  /** The member that the scan is in. */
  at: string | number;
  expectsKey: boolean;
}

const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/** Scans `text` once, without recursion. @throws SyntaxError for a key that cannot be decoded */
export function inspectJson(text: string, deepest: number): JsonFindings {
  const findings: JsonFindings = { depth: 0, repeatsKey: false, inexactNumbers: [] };
  const frames: Frame[] = [];
  for (let i = 0; i < text.length; i++) {
    const char = text[i] as string;
    const frame = frames.at(-1);
    if (char === '"') {
      const end = endOfString(text, i);
      if (frame?.expectsKey) enterMember(frame, text.slice(i, end + 1), findings);
      i = end;
    } else if (char === '{' || char === '[') {
      frames.push(
        char === '{' ? { keys: new Set(), at: '', expectsKey: true } : { keys: undefined, at: 0, expectsKey: false },
      );
      findings.depth = Math.max(findings.depth, frames.length);
      if (frames.length > deepest) return findings;
    } else if (char === '}' || char === ']') {
      frames.pop();
    } else if (char === ',' && frame !== undefined) {
      if (typeof frame.at === 'number') frame.at++;
      else frame.expectsKey = true;
    } else if (char === '-' || (char >= '0' && char <= '9')) {
      NUMBER.lastIndex = i;
      const lexeme = NUMBER.exec(text)?.[0];
      if (lexeme === undefined) continue;
      if (!isExactDecimal(lexeme)) findings.inexactNumbers.push(frames.map(({ at }) => at));
      i += lexeme.length - 1;
    }
  }
  return findings;
}

function enterMember(frame: Frame, quoted: string, findings: JsonFindings): void {
  const key = quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
  if (frame.keys?.has(key)) findings.repeatsKey = true;
  frame.keys?.add(key);
  frame.at = key;
  frame.expectsKey = false;
}

/** Index of the quote that closes the string opened at `start`, or the last index of an unclosed one. */
function endOfString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === '"') return i;
  }
  return text.length - 1;
}

/** Whether a number is kept to the digit: up to 15 significant digits, 9 decimals, at most 10^15. Source: contract section 1. */
export function isExactDecimal(lexeme: string): boolean {
  const [, whole = '', fraction = '', exponent = '0'] = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(lexeme) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  if (digits === '') return true;
  const significant = withoutLastZeros(digits);
  const decimals = fraction.length - Number(exponent) - (digits.length - significant.length);
  return significant.length <= 15 && decimals <= 9 && Math.abs(Number(lexeme)) <= 1e15;
}

/** Not a regular expression: one that looks for zeros at the end begins again at every zero before it. */
function withoutLastZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === '0') end--;
  return digits.slice(0, end);
}

/** The same JSON with line breaks and two spaces a level; numbers and strings stay as they are written. */
export function indentJson(text: string): string {
  let indented = '';
  let level = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text[i] as string;
    if (char === '"') {
      const end = endOfString(text, i);
      indented += text.slice(i, end + 1);
      i = end;
    } else if (char === '{' || char === '[') {
      const empty = text[i + 1] === '}' || text[i + 1] === ']';
      indented += empty ? char + (text[++i] as string) : char + newLine(++level);
    } else if (char === '}' || char === ']') {
      indented += newLine(--level) + char;
    } else if (char === ',') {
      indented += char + newLine(level);
    } else {
      indented += char === ':' ? ': ' : char;
    }
  }
  return indented;
}

const newLine = (level: number): string => `\n${'  '.repeat(level)}`;

/** The members of a compact JSON object as name and text of the value, in their order. */
export function membersOf(text: string): Map<string, string> {
  const members = new Map<string, string>();
  let i = 1;
  while (i < text.length - 1) {
    const keyEnd = endOfString(text, i);
    const valueEnd = endOfValue(text, keyEnd + 2);
    members.set(JSON.parse(text.slice(i, keyEnd + 1)) as string, text.slice(keyEnd + 2, valueEnd));
    i = valueEnd + 1;
  }
  return members;
}

function endOfValue(text: string, start: number): number {
  let level = 0;
  for (let i = start; i < text.length; i++) {
    const char = text[i];
    if (char === '"') i = endOfString(text, i);
    else if (char === '{' || char === '[') level++;
    else if (char === '}' || char === ']' || char === ',') {
      if (level === 0) return i;
      if (char !== ',') level--;
    }
  }
  return text.length;
}
