import { inOneAlphabet } from './homoglyphs.js';
import { regionOfUkraine } from './ukraine-regions.js';
import { fold, alphanumericOf, wordsIn } from './words.js';

/** Optional words in names of regions: `м. Київ` is Київ, `Київська обл.` is Київська область. */
const CITY_WORDS = new Set('м місто міста m misto city'.split(' '));
const OBLAST_WORDS = new Set('обл область області областю oblast obl region province'.split(' '));
const STOP_WORDS = new Set(['of', 'the']);

const INVISIBLE = /[\p{Cf}\p{DI}]/gu;
const SPACES = /[\s\p{Cc}]+/gu;

/** A key shared by all spellings of a region; empty for a name without letters and digits. */
export function regionKey(name: string): string {
  const { rest, known } = parse(name);
  return known === undefined ? rest : keyOfName(known);
}

/** The displayed name: the usual name of a Ukrainian region; any other as spelled, without invisible characters. */
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

/** Returns all words if nothing else is left. */
function withoutKindWords(words: readonly string[]): readonly string[] {
  const names = words.filter((word) => !CITY_WORDS.has(word) && !OBLAST_WORDS.has(word) && !STOP_WORDS.has(word));
  return names.length > 0 ? names : words;
}
