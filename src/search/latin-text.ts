import { isRegionOfUkraine, regionLabel } from './region-labels.js';

/*
 * Translates searches typed in Latin letters into Ukrainian: names by reversing the national romanization (resolution 55 of 2010), and common
 * English words for property.
 */

const ENGLISH_WORDS = new Map(
  Object.entries({
    land: 'земельна',
    plot: 'ділянка',
    building: 'будівля',
    premises: 'приміщення',
    house: 'будинок',
    flat: 'квартира',
    apartment: 'квартира',
    garage: 'гараж',
    warehouse: 'склад',
    office: 'офіс',
    shop: 'магазин',
    hospital: 'лікарня',
    school: 'школа',
    farm: 'ферма',
    car: 'автомобіль',
    truck: 'вантажний',
    bus: 'автобус',
    tractor: 'трактор',
    furniture: 'меблі',
    equipment: 'обладнання',
    debt: 'борг',
  }),
);
const STOP_WORDS = /^(?:a|an|and|at|city|for|in|near|oblast|of|region|the)$/u;

const MAX_WORDS = 6;
const LATIN_WORD = /[a-z'’]+/giu;
const LATIN = /[a-z]/iu;

/** Latin groups for one Ukrainian letter, in order of precedence. */
const LETTER_GROUPS: readonly (readonly [RegExp, string])[] = [
  [/['’]/gu, ''],
  [/zgh/gu, 'зг'],
  [/shch/gu, 'щ'],
  [/zh/gu, 'ж'],
  [/kh/gu, 'х'],
  [/ts/gu, 'ц'],
  [/ch/gu, 'ч'],
  [/sh/gu, 'ш'],
  [/^ye/gu, 'є'],
  [/^yi/gu, 'ї'],
  [/^yu/gu, 'ю'],
  [/^ya/gu, 'я'],
  [/^y/gu, 'й'],
  [/ia/gu, 'я'],
  [/ie/gu, 'є'],
  [/iu/gu, 'ю'],
  [/(?<=[aeiouy])i$/gu, 'й'],
  [/(?<=[aeouy])i/gu, 'ї'],
];
const LATIN_LETTERS = 'abvhgdezyiklmnoprstuf';
const UKRAINIAN_LETTERS = 'абвггдезиіклмнопрстуф';
/** Restores the soft sign, which romanization omits. */
const SOFT_SIGNS: readonly (readonly [RegExp, string])[] = [
  [/(?<=[зсц])к(?=(?:ий|а|е|ої|ого|ій)?$)/gu, 'ьк'],
  [/л(?=[бвгджзкмнпсфхцчшщ])/gu, 'ль'],
  [/(?<=[аеиоуяюєі]л|ц)$/gu, 'ь'],
];
/** Other readings of the same Latin letters: `Полкове`, `Райгород`, `соціальний`, `Маріуполь`. */
const ALTERNATIVES: readonly (readonly [RegExp, string])[] = [
  [/ль(?=\p{L})/gu, 'л'],
  [/ї(?=\p{L})/gu, 'й'],
  [/(?<=\p{L})я/gu, 'іа'],
  [/(?<=\p{L})ю/gu, 'іу'],
];

/** @returns Ukrainian spellings of a text, most likely first; empty if it has no Latin words or too many words */
export function ukrainianSpellings(text: string): string[] {
  const typed = text.split(/\s+/u).filter(Boolean);
  const words = typed.filter((word) => !STOP_WORDS.test(word.toLowerCase()));
  if (words.length > MAX_WORDS || !words.some((word) => LATIN.test(word))) return [];
  const spelled = words.map(translated).join(' ');
  // `Kyiv region` is the region, and `Kyiv` the city.
  const region = regionLabel(text, 'uk');
  const likely = words.length < typed.length ? [region, spelled] : [spelled, region];
  const others = ALTERNATIVES.map(([letters, other]) => spelled.replaceAll(letters, other));
  const withNames = words.map((word) => (isRegionOfUkraine(word) ? regionLabel(word, 'uk') : translated(word)));
  return [...new Set([...likely, withNames.join(' '), ...others])].filter((spelling) => !LATIN.test(spelling));
}

function translated(word: string): string {
  const plain = word.toLowerCase();
  const known = ENGLISH_WORDS.get(plain) ?? ENGLISH_WORDS.get(plain.replace(/s$/u, ''));
  return known ?? word.replaceAll(LATIN_WORD, spelledInUkrainian);
}

function spelledInUkrainian(word: string): string {
  const grouped = replacedIn(word.toLowerCase(), LETTER_GROUPS);
  const spelled = replacedIn(
    grouped.replaceAll(/[a-z]/gu, (letter) => UKRAINIAN_LETTERS[LATIN_LETTERS.indexOf(letter)] ?? letter),
    SOFT_SIGNS,
  );
  return /^[A-Z]/u.test(word) ? spelled.slice(0, 1).toUpperCase() + spelled.slice(1) : spelled;
}

function replacedIn(text: string, rules: readonly (readonly [RegExp, string])[]): string {
  return rules.reduce((changed, [pattern, other]) => changed.replaceAll(pattern, other), text);
}
