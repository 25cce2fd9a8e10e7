/** Endings of nouns and adjectives in their cases, the longest first. */
const ENDINGS = (
  'ями ами ові еві єві ого ому ими іми ої ій ою ею єю ах ях ам ям ів їв ом ем єм ий им их іх ок ' +
  'а я о е є и і ї у ю й ь'
).split(' ');
const CYRILLIC = /^[а-яґєії]+$/u;
/** Below this a stem would be the beginning of too much. */
const MIN_STEM_LENGTH = 4;
/** A vowel comes and goes before it: будинок, будинку. */
const FLEETING_VOWEL = /[^аеєиіїоуюя]к$/u;

/** One of two is there in other cases: приміщення, приміщень; Уманню, Умань. */
const DOUBLED_CONSONANT = /([^аеєиіїоуюя])\1$/u;
/** The vowel of these is not there in other cases: лікарень, лікарня; земель, земля. It is in those of people: житель, жителя. */
const INSERTED_VOWEL = /[^т]е[лн]ь$/u;

/** Those have it where nothing follows, and are typed with an ending: лікарня, лікарень; земля, земель; котельня, котелень. */
const SOFT_ENDING = /(?:[яію]|ею|ям|ями|ях)$/u;
const INSERTION_POINT = /(?<=[^аеєиіїоуюяь])ь?(?=[лн]$)/u;

/** In a closed syllable at the end another vowel stands than in an open one: Київ, Києва; Львів, Львова; Тернопіль, Тернополя. */
const ALTERNATING_VOWEL = /[оеєії](?=[^аеєиіїоуюя]$)/u;
const ALTERNATIVE_VOWELS: Readonly<Record<string, readonly string[]>> = {
  о: ['і'],
  е: ['і'],
  є: ['ї'],
  і: ['о', 'е'],
  ї: ['є'],
};

/** The vowel of these is there where nothing follows alone: Камʼянець, Камʼянця; палець, пальця. */
const ENDS_IN_ETS = /ець$/u;
const ENDS_IN_TS = /(?<=[^аеєиіїоуюя])ь?ц$/u;

/** The beginnings by which the forms of a word are found: its stem, and that with the other vowel, or none, where it has one that changes. */
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
 * What the forms of a Ukrainian word have in common: the word without its ending. Words are looked for by their beginnings, so a form that was
 * typed finds the others. Words in other letters, and short ones, stay as they are.
 * @param word folded (words.ts)
 */
export function stemOf(word: string): string {
  if (!CYRILLIC.test(word)) return word;
  const ending = ENDINGS.find((end) => word.endsWith(end) && word.length - end.length >= MIN_STEM_LENGTH) ?? '';
  const stem = word.slice(0, word.length - ending.length);
  const isLonger = (FLEETING_VOWEL.test(stem) || DOUBLED_CONSONANT.test(stem)) && stem.length > MIN_STEM_LENGTH;
  return isLonger ? stem.slice(0, -1) : stem;
}
