import { inOneAlphabet } from './homoglyphs.js';
import { regionOfUkraine } from './ukraine-regions.js';
import { fold, alphanumericOf, wordsIn } from './words.js';

/** What people write beside the name of a region, or leave out: `м. Київ` is Київ, `Київська обл.` is Київська область. */
const CITY_WORDS = new Set('м місто міста m misto city'.split(' '));
const OBLAST_WORDS = new Set('обл область області областю oblast obl region province'.split(' '));
const STOP_WORDS = new Set(['of', 'the']);

const INVISIBLE = /[\p{Cf}\p{DI}]/gu;
const SPACES = /[\s\p{Cc}]+/gu;

/** A key that all spellings of a region share. Empty where a name has neither letters nor digits. */
export function regionKey(name: string): string {
  const { rest, known } = parse(name);
  return known === undefined ? rest : keyOfName(known);
}

/** As a region is shown: one of Ukraine's by its usual name, another one as it is spelled, without what cannot be seen. */
export function regionName(name: string): string {
  return parse(name).known ?? name.replaceAll(INVISIBLE, '').replaceAll(SPACES, ' ').trim();
}

function parse(name: string): { rest: string; known: string | undefined } {
  const words = wordsIn(inOneAlphabet(fold(name)));
  const isOblast = words.some((word) => OBLAST_WORDS.has(word));
  const isCity = words.some((word) => CITY_WORDS.has(word));
  const rest = alphanumericOf(withoutKindWords(words).join(' '));
  return { rest, known: regionOfUkraine(rest, { isOblast, isCity }) };
}

function keyOfName(name: string): string {
  return alphanumericOf(withoutKindWords(wordsIn(fold(name))).join(' '));
}

/** All of them where there are no others. */
function withoutKindWords(words: readonly string[]): readonly string[] {
  const names = words.filter((word) => !CITY_WORDS.has(word) && !OBLAST_WORDS.has(word) && !STOP_WORDS.has(word));
  return names.length > 0 ? names : words;
}
