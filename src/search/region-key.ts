import { inOneAlphabet } from './homoglyphs.js';
import { regionOfUkraine } from './ukraine-regions.js';
import { fold, keyOf, wordsIn } from './words.js';

/** What people write beside the name of a region, or leave out: `м. Київ` is Київ, `Київська обл.` is Київська область. */
const OF_CITY = new Set('м місто міста m misto city'.split(' '));
const OF_OBLAST = new Set('обл область області областю oblast obl region province'.split(' '));
const JOINING = new Set(['of', 'the']);

const INVISIBLE = /[\p{Cf}\p{DI}]/gu;
const SPACES = /[\s\p{Cc}]+/gu;

/** A key that all spellings of a region share. Empty where a name has neither letters nor digits. */
export function regionKey(name: string): string {
  const { rest, known } = read(name);
  return known === undefined ? rest : spelledKey(known);
}

/** As a region is shown: one of Ukraine's by its usual name, another one as it is spelled, without what cannot be seen. */
export function regionName(name: string): string {
  return read(name).known ?? name.replaceAll(INVISIBLE, '').replaceAll(SPACES, ' ').trim();
}

function read(name: string): { rest: string; known: string | undefined } {
  const words = wordsIn(inOneAlphabet(fold(name)));
  const isOblast = words.some((word) => OF_OBLAST.has(word));
  const isCity = words.some((word) => OF_CITY.has(word));
  const rest = keyOf(withoutKinds(words).join(' '));
  return { rest, known: regionOfUkraine(rest, { isOblast, isCity }) };
}

function spelledKey(name: string): string {
  return keyOf(withoutKinds(wordsIn(fold(name))).join(' '));
}

/** All of them where there are no others. */
function withoutKinds(words: readonly string[]): readonly string[] {
  const names = words.filter((word) => !OF_CITY.has(word) && !OF_OBLAST.has(word) && !JOINING.has(word));
  return names.length > 0 ? names : words;
}
