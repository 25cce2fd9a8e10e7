/** Lower-case letters whose capitals look the same in both alphabets: people type number plates in either. */
const LATIN = 'abceikmhoptxyï';
const CYRILLIC = 'авсеікмнортхуї';
const TO_CYRILLIC = new Map(Array.from(LATIN, (letter, i) => [letter, CYRILLIC.charAt(i)]));
const TO_LATIN = new Map(Array.from(CYRILLIC, (letter, i) => [letter, LATIN.charAt(i)]));

const HAS_LATIN = /\p{Script=Latin}/u;
const HAS_CYRILLIC = /\p{Script=Cyrillic}/u;
const DIGIT = /\d/;

/**
 * Returns a piece and, if it has digits, its look-alikes in a single alphabet.
 * @param piece folded (words.ts)
 */
export function homoglyphsOf(piece: string): string[] {
  return DIGIT.test(piece) ? [...new Set([piece, ...inEachAlphabet(piece)])] : [piece];
}

/** Rewrites a text of mixed alphabets in one, Cyrillic if both would do; unchanged if neither has all of its letters. */
export function inOneAlphabet(text: string): string {
  return isMixed(text) ? (inEachAlphabet(text)[0] ?? text) : text;
}

export function isMixed(text: string): boolean {
  return HAS_LATIN.test(text) && HAS_CYRILLIC.test(text);
}

function inEachAlphabet(text: string): string[] {
  const [cyrillic, latin] = [replaced(text, TO_CYRILLIC), replaced(text, TO_LATIN)];
  return [...(HAS_LATIN.test(cyrillic) ? [] : [cyrillic]), ...(HAS_CYRILLIC.test(latin) ? [] : [latin])];
}

function replaced(text: string, letters: ReadonlyMap<string, string>): string {
  return Array.from(text, (letter) => letters.get(letter) ?? letter).join('');
}
