/** Of nouns and adjectives in their cases, the longest first. */
const ENDINGS = (
  'ями ами ові еві єві ого ому ими іми ої ій ою ею єю ах ях ам ям ів їв ом ем єм ий им их іх ок ' +
  'а я о е є и і ї у ю й ь'
).split(' ');
const CYRILLIC = /^[а-яґєії]+$/u;
/** Below this a stem would be the beginning of too much. */
const SHORTEST_STEM = 4;
/** A vowel comes and goes before it: будинок, будинку. */
const FLEETING = /[^аеєиіїоуюя]к$/u;

/**
 * What the forms of a Ukrainian word have in common: the word without its ending. Words are looked for by their beginnings, so a form that was
 * typed finds the others. Words in other letters, and short ones, stay as they are.
 * @param word folded (words.ts)
 */
export function stemOf(word: string): string {
  if (!CYRILLIC.test(word)) return word;
  const ending = ENDINGS.find((end) => word.endsWith(end) && word.length - end.length >= SHORTEST_STEM) ?? '';
  const stem = word.slice(0, word.length - ending.length);
  return FLEETING.test(stem) && stem.length > SHORTEST_STEM ? stem.slice(0, -1) : stem;
}
