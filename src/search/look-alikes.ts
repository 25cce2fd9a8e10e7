/** Letters that look the same as capitals, in lower case: people type a number plate by either alphabet. */
const LATIN = 'abceikmhoptxy';
const CYRILLIC = 'авсеікмнортху';
const OF_LATIN = new Map(Array.from(LATIN, (letter, i) => [letter, CYRILLIC.charAt(i)]));
const OF_CYRILLIC = new Map(Array.from(CYRILLIC, (letter, i) => [letter, LATIN.charAt(i)]));

const HAS_LATIN = /\p{Script=Latin}/u;
const HAS_CYRILLIC = /\p{Script=Cyrillic}/u;
const DIGIT = /\d/;

/**
 * What was typed, and what looks the same in one alphabet alone: of a code with digits, and of a word in which both alphabets are mixed.
 * @param piece folded (words.ts)
 */
export function lookAlikesOf(piece: string): string[] {
  const isMixed = HAS_LATIN.test(piece) && HAS_CYRILLIC.test(piece);
  if (!isMixed && !DIGIT.test(piece)) return [piece];
  const cyrillic = replaced(piece, OF_LATIN);
  const latin = replaced(piece, OF_CYRILLIC);
  const others = [...(HAS_LATIN.test(cyrillic) ? [] : [cyrillic]), ...(HAS_CYRILLIC.test(latin) ? [] : [latin])];
  return [...new Set([piece, ...others])];
}

function replaced(piece: string, letters: ReadonlyMap<string, string>): string {
  return Array.from(piece, (letter) => letters.get(letter) ?? letter).join('');
}
