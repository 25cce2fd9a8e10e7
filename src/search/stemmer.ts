/** Case endings of nouns and adjectives, longest first. */
const ENDINGS = (
  'ями ами ові еві єві ого ому ими іми ої ій ою ею єю ах ях ам ям ів їв ом ем єм ий им их іх ок ' +
  'а я о е є и і ї у ю й ь'
).split(' ');
const CYRILLIC = /^[а-яґєії]+$/u;
/** Shorter stems are prefixes of too many words. */
const MIN_STEM_LENGTH = 4;
/** A к with a fleeting vowel before it: будинок, будинку. */
const FLEETING_VOWEL = /[^аеєиіїоуюя]к$/u;

/** Single in other cases: приміщення, приміщень; Уманню, Умань. */
const DOUBLED_CONSONANT = /([^аеєиіїоуюя])\1$/u;
/** The е is missing in other cases: лікарень, лікарня; земель, земля. Nouns in -тель keep it: житель, жителя. */
const INSERTED_VOWEL = /[^т]е[лн]ь$/u;

/** The reverse: the typed form lacks the е of the form without ending: лікарня, лікарень; земля, земель; котельня, котелень. */
const SOFT_ENDING = /(?:[яію]|ею|ям|ями|ях)$/u;
const INSERTION_POINT = /(?<=[^аеєиіїоуюяь])ь?(?=[лн]$)/u;

/** Vowel alternation between closed and open final syllables: Київ, Києва; Львів, Львова; Тернопіль, Тернополя. */
const ALTERNATING_VOWEL = /[оеєії](?=[^аеєиіїоуюя]$)/u;
const ALTERNATIVE_VOWELS: Readonly<Record<string, readonly string[]>> = {
  о: ['і'],
  е: ['і'],
  є: ['ї'],
  і: ['о', 'е'],
  ї: ['є'],
};

/** The е is there only without an ending: Камʼянець, Камʼянця; палець, пальця. */
const ENDS_IN_ETS = /ець$/u;
const ENDS_IN_TS = /(?<=[^аеєиіїоуюя])ь?ц$/u;

/** The prefixes by which the forms of a word are found: its stem, with any vowel that alternates or disappears. */
export function stemsOf(word: string): string[] {
  const stem = stemOf(word);
  if (!CYRILLIC.test(word) || stem.length < MIN_STEM_LENGTH) return [stem];
  if (SOFT_ENDING.test(word) && INSERTION_POINT.test(stem)) return [stem, stem.replace(INSERTION_POINT, 'е')];
  if (ENDS_IN_ETS.test(word)) return [stem, stem.replace(/л?ец$/u, (end) => (end === 'лец' ? 'льц' : 'ц'))];
  if (ENDS_IN_TS.test(stem)) return [stem, stem.replace(ENDS_IN_TS, 'ец')];
  if (!ALTERNATING_VOWEL.test(stem)) return [stem];
  const [vowel = ''] = ALTERNATING_VOWEL.exec(stem) ?? [];
  const stems = [stem, ...(ALTERNATIVE_VOWELS[vowel] ?? []).map((other) => stem.replace(ALTERNATING_VOWEL, other))];
  return INSERTED_VOWEL.test(word) ? [...stems, stem.replace(ALTERNATING_VOWEL, '').replace(/лн$/u, 'льн')] : stems;
}

/**
 * Removes the ending of a Ukrainian word. The search matches prefixes, so the stem of one form finds the others. Words in other letters and
 * short words are returned unchanged.
 * @param word folded (words.ts)
 */
export function stemOf(word: string): string {
  if (!CYRILLIC.test(word)) return word;
  const ending = ENDINGS.find((end) => word.endsWith(end) && word.length - end.length >= MIN_STEM_LENGTH) ?? '';
  const stem = word.slice(0, word.length - ending.length);
  const isLonger = (FLEETING_VOWEL.test(stem) || DOUBLED_CONSONANT.test(stem)) && stem.length > MIN_STEM_LENGTH;
  return isLonger ? stem.slice(0, -1) : stem;
}
